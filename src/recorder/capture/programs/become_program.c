/* SPDX-License-Identifier: Apache-2.0 */
/* become_program.c - records a program that this process becomes.
 *
 * The recorder is a daemon process, made before.  It says through one pipe that all is ready, and
 * is told through another if the program could not be executed.  The program is not its child: so
 * it learns of the program's end by a pidfd; and before that from the program itself, whose end
 * waits (tracer/exit_hooks) until the recording is written. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/programs/launch.h"
#include "capture/rings/lifeline.h"
#include "capture/programs/stop_signals.h"
#include "capture/sessions/recorder_subject.h"
#include "capture/sessions/survivors.h"
#include "inject/choice/exit_status.h"

#define FIRST_PROCESS 1 /* of a pid namespace, which ends with it */

struct become_message {
    int is_ready; /* else it is over */
    int status;   /* to exit with */
    char path[PATH_MAX], arena[ARENA_NAME_MAX];
};

static struct becoming {
    const struct recorder_options *options;
    struct arena *arena;
    struct shared_arena *held; /* a mapping that outlives the arena's */
    int to_program, from_program;
    struct become_message ready;
    pid_t pid;
    int pidfd;
    struct survivors survivors;
    bool is_held, ended;
} becoming;

static void set_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigset_t mask;
    stop_signals_catch(true);
    sigaction(SIGTSTP, &action, NULL);
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

static void tell_program(const struct become_message *message)
{
    ssize_t const ignored = write(becoming.to_program, message, sizeof(*message));
    (void)ignored; /* who became the program does not listen any more */
}

/* In the process that becomes it.  Returns when that cannot be. */
static void become(const struct recorder_options *options, const struct become_message *ready,
                   int report)
{
    struct launch const launch = {.path = ready->path,
                                  .arguments = options->command,
                                  .library = options->library,
                                  .arena = ready->arena};
    int const err = -launch_become(&launch);
    ssize_t const ignored = write(report, &err, sizeof(err));
    (void)ignored;
}

/* Whatever the recorder says last is what this process ends with, unless it becomes the program
 * before. */
static _Noreturn void obey(const struct recorder_options *options, int from, int report)
{
    struct become_message message;
    int status = 1;
    while (read(from, &message, sizeof(message)) == sizeof(message)) {
        if (message.is_ready)
            become(options, &message, report);
        else
            status = message.status;
    }
    _exit(status);
}

/* Waits for the one in between, whose death is nothing that the program should hear of. */
static void forget_child(pid_t child)
{
    sigset_t pending, children;
    waitpid(child, NULL, 0);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGCHLD))
        sigtimedwait(&children, NULL, &(struct timespec){0, 0});
}

/* Goes on as the recorder, in a session of its own, as nobody's child; the process that calls
 * becomes the program. */
static int split(const struct recorder_options *options, struct fault *fault)
{
    int orders[2], reports[2];
    becoming.pid = getpid();
    if (pipe2(orders, O_CLOEXEC) < 0 || pipe2(reports, O_CLOEXEC) < 0)
        return fault_set(fault, -errno, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t const child = fork();
    if (child < 0)
        return fault_set(fault, -errno, "cannot start the recorder: %s", strerror(errno));
    if (child > 0) {
        close(orders[1]);
        close(reports[0]);
        forget_child(child);
        obey(options, orders[0], reports[1]);
    }
    setsid();
    if (fork() != 0)
        _exit(0);
    close(orders[0]);
    close(reports[1]);
    becoming.to_program = orders[1];
    becoming.from_program = reports[0];
    return 0;
}

/* The program's end waits for us, unless we go on after it with its children. */
static void hold_end(void)
{
    void *const held = mmap(NULL, sizeof(struct arena_header), PROT_READ | PROT_WRITE, MAP_SHARED,
                            becoming.arena->fd, 0);
    if (held == MAP_FAILED || (becoming.options->follow_children && becoming.pid != FIRST_PROCESS))
        return;
    becoming.held = held;
    shared_set(becoming.held, holds_end, 1);
}

static int hold(void *self, struct arena *arena, struct fault *fault)
{
    struct become_message *ready = &becoming.ready;
    (void)self;
    becoming.arena = arena;
    becoming.pidfd = (int)syscall(SYS_pidfd_open, becoming.pid, 0);
    if (becoming.pidfd < 0)
        return fault_set(fault, -errno, "the process that should become the program has ended");
    int const err = launch_prepare(becoming.options->command[0], becoming.options->library,
                                   ready->path, sizeof(ready->path), fault);
    if (err < 0)
        return err;
    ready->is_ready = 1;
    arena_path(arena, ready->arena, sizeof(ready->arena));
    becoming.is_held = true;
    return becoming.pid;
}

static int start(void *self, struct arena *arena, struct fault *fault)
{
    int failure;
    int const err = becoming.is_held ? 0 : hold(self, arena, fault);
    if (err < 0)
        return err;
    shared_set(arena->memory, target_pid, becoming.pid);
    hold_end();
    tell_program(&becoming.ready);
    if (read(becoming.from_program, &failure, sizeof(failure)) == sizeof(failure))
        return fault_set(fault, -failure, "cannot start %s: %s", becoming.ready.path,
                         strerror(failure));
    return becoming.pid;
}

/* What it said itself when it was about to end, else what the kernel tells. */
static bool has_ended(struct recorder_result *result)
{
    bool const leaves = becoming.held && shared_get(becoming.held, leaving);
    if (!leaves && !process_has_ended(becoming.pidfd))
        return false;
    result->wait_status = leaves ? (int)(shared_get(becoming.held, leave_status) & 0xff) << 8
                                 : process_exit_status(becoming.pidfd, becoming.pid);
    return true;
}

static bool children_live(void)
{
    return becoming.options->follow_children && becoming.pid != FIRST_PROCESS &&
           survivors_are_there(&becoming.survivors, becoming.arena, (uint32_t)becoming.pid);
}

static int look(void *self, bool enough, struct recorder_result *result, struct fault *fault)
{
    (void)self;
    (void)fault;
    enough |= stop_signals_asked();
    if (!becoming.ended) {
        result->wait_status = -1;
        becoming.ended = has_ended(result);
    }
    if (becoming.ended && (enough || !children_live()))
        return SUBJECT_ENDED;
    return enough ? SUBJECT_CUT : SUBJECT_RUNS;
}

static bool has_news(void *self)
{
    (void)self;
    return stop_signals_asked() || (becoming.held && shared_get(becoming.held, leaving));
}

static void finish(void *self, enum subject_state how, struct recorder_result *result)
{
    (void)self;
    (void)how;
    (void)result;
}

int recorder_become(const struct recorder_options *options, struct recorder_result *result,
                    struct fault *fault)
{
    launch_remember();
    becoming = (struct becoming){.options = options, .pidfd = -1};
    int const err = split(options, fault);
    if (err < 0)
        return err;
    set_signals();
    launch_close_inherited();
    return recorder_record(options,
                           &(struct recorder_subject){hold, start, look, has_news, finish, NULL},
                           result, fault);
}

void recorder_become_end(int status)
{
    struct become_message const over = {.status = status};
    fflush(NULL);
    if (becoming.held)
        shared_set(becoming.held, holds_end, 0);
    tell_program(&over);
}
