/* fork_hooks.h - the program forks: the recorder is told before, so that it knows what the child
 * has of its parent's.
 *
 * A signal handler may fork while its thread is in the middle of a hook.  When the child's
 * handler returns, the hook goes on there, and must not write what the parent's does. */
#pragma once

/* Once; asks to be called around forks. */
void fork_hooks_start_up(void);
