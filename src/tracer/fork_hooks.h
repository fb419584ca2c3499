/* fork_hooks.h - a signal handler may fork while its thread is in the middle of a hook.  When the child's handler
 * returns, the hook goes on there, and must not write what the parent's does. */
#pragma once

/* Once; asks to be called in forked children. */
void fork_hooks_start_up(void);
