/* fork_hooks.h - tells the recorder before the program forks, so that the recorder knows what the
 * child inherits.
 *
 * A signal handler may fork while its thread is in the middle of a hook.  When the handler returns
 * in the child, the hook goes on there, and must not write what the parent's hook writes. */
#pragma once

#include <stdbool.h>

/* Registers the handlers for forks; called once. */
void fork_hooks_start_up(void);

/* Counts a child that this process starts other than by fork, where children are not recorded.
 * `by`: 1, or -1 when it was not started after all. */
void children_let_go(int by);
/* Returns whether this is a child that uses its parent's memory, as after vfork. */
bool children_share_memory(void);
