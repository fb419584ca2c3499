/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/death_note.h"

#include <stdio.h>
#include <sys/wait.h>

#include "base/human.h"

void death_describe(int wait_status, bool oom, char *text, size_t size)
{
    char name[HUMAN_MAX];
    if (oom)
        snprintf(text, size, "killed by the OOM killer (SIGKILL)");
    else
        snprintf(text, size, "killed by %s", human_signal(WTERMSIG(wait_status), name));
}
