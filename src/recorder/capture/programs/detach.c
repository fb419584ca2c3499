/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/detach.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "capture/rings/target_arena.h"
#include "capture/programs/target_check.h"
#include "inject/library/injection.h"
#include "inject/choice/permission.h"
#include "procfs/process/process_status.h"

#define WAIT_TRIES 600
#define NAP_NS     50000000l

static int tidy_up(pid_t pid, const char *path, struct fault *fault)
{
    struct tracer_library library;
    struct injection injection;
    int err = tracer_library_open(&library, path, fault);
    if (err < 0)
        return err;
    err = injection_open(&injection, pid, &library, fault);
    if (err == 0) {
        err = injection.loaded ? injection_detach(&injection, fault)
                               : fault_set(fault, -EPROTO,
                                           "process %d has hooks of another build of memoir whose "
                                           "recorder was killed; detach with that build",
                                           (int)pid);
        injection_close(&injection);
    }
    tracer_library_close(&library);
    return err;
}

/* Its recorder does it, and we do what that could not.  A program that memoir run has started
 * keeps the arena and goes on untraced. */
static int ask(pid_t pid, const struct target_arena *arena, const char *library,
               struct fault *fault)
{
    struct target_arena now;
    struct process_status status;
    int err = target_arena_ask_to_end(pid, arena);
    if (err < 0)
        return fault_set(fault, err, "cannot reach the recorder of process %d: %s", (int)pid,
                         strerror(-err));
    for (int i = 0; i < WAIT_TRIES; i++) {
        enum recorder_state const state = target_arena_find(pid, &now);
        if (process_status_read((uint32_t)pid, 0, &status) < 0)
            return 0;
        if (state == RECORDER_DEAD && now.address == arena->address && arena->is_attached)
            return tidy_up(pid, library, fault);
        if (state != RECORDER_LIVES || now.address != arena->address)
            return 0;
        nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    }
    if (!arena->recorder_pid)
        return fault_set(fault, -ETIMEDOUT,
                         "the recorder of process %d does not answer, and memoir cannot find its "
                         "process: it was killed, or runs in another namespace; look for it with: "
                         "pgrep -a memoir",
                         (int)pid);
    return fault_set(fault, -ETIMEDOUT,
                     "the recorder of process %d (pid %u) does not answer; if it is stopped, "
                     "continue it with kill -CONT %u; else kill -9 %u and detach again",
                     (int)pid, arena->recorder_pid, arena->recorder_pid, arena->recorder_pid);
}

int target_detach(pid_t pid, const char *library, struct fault *fault)
{
    struct target_arena arena;
    struct process_status status;
    struct permission_facts facts;
    struct remote_memory memory;
    if (process_status_read((uint32_t)pid, 0, &status) < 0)
        return fault_set(fault, -ESRCH, "there is no process %d; `ps -ef` lists all processes",
                         (int)pid);
    int err = remote_memory_open(&memory, pid);
    remote_memory_close(&memory);
    if (err == -EACCES || err == -EPERM) {
        permission_facts_read(&facts, pid);
        facts.command = "detach";
        return permission_explain(&facts, fault);
    }
    switch (target_arena_find(pid, &arena)) {
    case RECORDER_LIVES:
        return ask(pid, &arena, library, fault);
    case RECORDER_DEAD:
        return tidy_up(pid, library, fault);
    case RECORDER_NONE:
        break;
    }
    return fault_set(fault, -ENOENT, "%s (pid %d) is not recorded by memoir", status.name,
                     (int)pid);
}
