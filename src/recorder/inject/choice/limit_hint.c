/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/limit_hint.h"

#include <stdio.h>
#include <sys/resource.h>

#include "base/human.h"

void limit_hint(pid_t pid, char *text, size_t size)
{
    struct rlimit space;
    char bytes[HUMAN_MAX];
    text[0] = '\0';
    if (prlimit(pid, RLIMIT_AS, NULL, &space) < 0 || space.rlim_cur == RLIM_INFINITY)
        return;
    snprintf(text, size,
             "; its address space is limited to %s (ulimit -v), too little for memoir's library: "
             "`prlimit --pid %d --as=unlimited` removes the limit",
             human_bytes((int64_t)space.rlim_cur, bytes), (int)pid);
}
