/* SPDX-License-Identifier: Apache-2.0 */
/* shell_hooks.c - system and popen.  libc starts their shell by a call of its own, so it gets our
 * library only by the environment of the program.  Where that does not lead to the recorder (after
 * a change of user, in a chroot, in an attached program), or where children are not recorded, the
 * shell is counted as not recorded. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracer/hooks/fork_hooks.h"
#include "tracer/process/luggage.h"
#include "tracer/process/real.h"
#include "tracer/rings/thread.h"

#define HOOK  __attribute__((visibility("default"), noinline))
#define SHELL "sh"

static bool count_shell(bool is_started)
{
    if (!real.system)
        tracer_revive(); /* before our constructor */
    bool const is_missed = is_started && tracer_luggage_misses_shell();
    if (is_started)
        children_let_go(1);
    if (is_missed)
        tracer_left_behind(1, SHELL);
    return is_missed;
}

static void uncount_shell(bool is_missed)
{
    children_let_go(-1);
    if (is_missed)
        tracer_left_behind(-1, NULL);
}

HOOK int system(const char *command)
{
    bool const is_missed = count_shell(command != NULL);
    int const status = real.system(command);
    if (command && status == -1)
        uncount_shell(is_missed);
    return status;
}

HOOK FILE *popen(const char *command, const char *mode)
{
    bool const is_missed = count_shell(true);
    FILE *const pipe = real.popen(command, mode);
    if (!pipe)
        uncount_shell(is_missed);
    return pipe;
}
