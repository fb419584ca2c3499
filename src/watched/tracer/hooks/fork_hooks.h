/* fork_hooks.h - tells the recorder before the program forks, so that the recorder knows what the
 * child inherits.
 *
 * A signal handler may fork while its thread is in the middle of a hook.  When the handler returns
 * in the child, the hook goes on there, and must not write what the parent's hook writes. */
#pragma once

/* Registers the handlers for forks; called once. */
void fork_hooks_start_up(void);
