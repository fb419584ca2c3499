/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/held_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/programs/launch.h"

static _Noreturn void wait_and_become(char *const *command, int go, int report)
{
    char letter;
    launch_restore();
    if (read(go, &letter, 1) == 1)
        execvp(command[0], command);
    int const err = errno;
    (void)!write(report, &err, sizeof(err));
    _exit(127);
}

int held_launch_begin(struct held_launch *held, char *const *command, struct fault *fault)
{
    int go[2], report[2];
    *held = (struct held_launch){.go = -1, .report = -1};
    if (pipe2(go, O_CLOEXEC) < 0)
        return fault_set(fault, -errno, "the program cannot be started: %s", strerror(errno));
    if (pipe2(report, O_CLOEXEC) < 0) {
        int const err = errno;
        close(go[0]);
        close(go[1]);
        return fault_set(fault, -err, "the program cannot be started: %s", strerror(err));
    }
    *held = (struct held_launch){.pid = fork(), .go = go[1], .report = report[0]};
    int const err = held->pid < 0 ? -errno : 0;
    if (held->pid == 0) {
        close(go[1]);
        wait_and_become(command, go[0], report[1]);
    }
    close(go[0]);
    close(report[1]);
    return err;
}

int held_launch_go(struct held_launch *held)
{
    int reason = 0;
    if (write(held->go, "g", 1) != 1 || read(held->report, &reason, sizeof(reason)) <= 0)
        return 0;
    return reason;
}

void held_launch_end(struct held_launch *held)
{
    if (held->go >= 0)
        close(held->go);
    if (held->report >= 0)
        close(held->report);
    held->go = held->report = -1;
}
