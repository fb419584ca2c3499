/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/exit_status.h"

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "procfs/process/proc_open.h"

#define STAT_MAX    4096u
#define AFTER_STATE 49 /* fields of /proc/PID/stat between the state and the exit code */

/* Newer than the headers of Debian 12. */
struct pidfd_told {
    uint64_t mask, cgroup;
    uint32_t numbers[11]; /* pid, tgid, parent, users and groups */
    int32_t exit_code;
};
#define TELL_EXIT  (1u << 3)
#define PIDFD_TELL _IOWR(0xff, 11, struct pidfd_told)

bool process_has_ended(int pidfd)
{
    struct pollfd ended = {pidfd, POLLIN, 0};
    return poll(&ended, 1, 0) > 0;
}

/* While its entry is still there: a zombie, or one that its parent is just taking away (X).  0 for
 * those who may not know, -1 where nobody tells. */
static int status_of_dead(pid_t pid)
{
    char *text;
    int status = -1;
    if (proc_read_text((uint32_t)pid, 0, PROC_STAT, STAT_MAX, &text) < 0)
        return -1;
    char *at = strrchr(text, ')');
    if (at && at[1] == ' ' && (at[2] == 'Z' || at[2] == 'X')) {
        at += 2;
        for (int i = 0; i < AFTER_STATE && at; i++)
            at = strchr(at + 1, ' ');
        if (at && at[1] >= '0' && at[1] <= '9')
            status = (int)strtol(at, NULL, 10);
    }
    free(text);
    return status;
}

/* Once its parent has asked. */
static int status_of_gone(int pidfd)
{
    struct pidfd_told told = {.mask = TELL_EXIT};
    return ioctl(pidfd, PIDFD_TELL, &told) == 0 && (told.mask & TELL_EXIT) ? told.exit_code : -1;
}

/* The parent may ask between two looks: what was too early for the first is there for the third. */
int process_exit_status(int pidfd, pid_t pid)
{
    int status = status_of_gone(pidfd);
    if (status < 0)
        status = status_of_dead(pid);
    return status < 0 ? status_of_gone(pidfd) : status;
}
