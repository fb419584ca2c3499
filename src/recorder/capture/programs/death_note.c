/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/death_note.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

void death_describe(int wait_status, bool oom, char *text, size_t size)
{
    const char *name = sigabbrev_np(WTERMSIG(wait_status));
    if (oom)
        snprintf(text, size, "killed by the OOM killer (SIGKILL)");
    else
        snprintf(text, size, "killed by SIG%s", name ? name : "?");
}
