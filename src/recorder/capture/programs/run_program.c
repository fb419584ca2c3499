/* SPDX-License-Identifier: Apache-2.0 */
/* run_program.c - records a program that we start. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/programs/launch.h"
#include "capture/rings/lifeline.h"
#include "capture/programs/passed_signals.h"
#include "capture/programs/program_traits.h"
#include "capture/sessions/recorder_subject.h"
#include "capture/sessions/survivors.h"
#include "procfs/process/invoked_path.h"

#define ROUNDS_UNASKED 50u /* a SIGCHLD may be lost */
#define NAP_NS         20000000l

struct program {
    const struct recorder_options *options;
    struct arena *arena;
    pid_t pid;
    struct launch_held held;
    char path[PATH_MAX], name[ARENA_NAME_MAX];
    struct survivors survivors;
    unsigned rounds_unasked; /* since the program was last asked after */
    bool ended;
};

static volatile sig_atomic_t child_changed;
static atomic_bool stop_is_wanted; /* with the program, once that stands */

static void on_child(int number)
{
    (void)number;
    child_changed = 1;
}

/* What is sent to us is meant for the program.  What comes from the terminal reached it already. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0)
        passed_signals_keep(number, info->si_value.sival_ptr);
    if (number == SIGTSTP || number == SIGCONT)
        stop_is_wanted = number == SIGTSTP;
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT)
        lifeline_pull();
}

static void set_signals(void)
{
    static const int forwarded[] = {SIGINT,  SIGQUIT,  SIGTERM, SIGHUP,   SIGUSR1, SIGUSR2,
                                    SIGCONT, SIGALRM,  SIGPROF, SIGPWR,   SIGIO,   SIGVTALRM,
                                    SIGURG,  SIGWINCH, SIGTSTP, SIGSTKFLT};
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
    sigset_t mask;
    sigaction(SIGCHLD, &action, NULL);
    action = (struct sigaction){.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
        sigaction(forwarded[i], &action, NULL);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        sigaction(number, &action, NULL);
    passed_signals_catch_faults();
    sigemptyset(&mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* Who has stopped us waits for us to stand.  A program that does not mind SIGTSTP goes on, and
 * so do we. */
static void stop_with_program(const struct program *program)
{
    siginfo_t about = {.si_pid = 0};
    if (!stop_is_wanted ||
        waitid(P_PID, (id_t)program->pid, &about, WSTOPPED | WNOHANG | WNOWAIT) < 0 ||
        about.si_pid != program->pid)
        return;
    stop_is_wanted = false;
    kill(getpid(), SIGSTOP);
}

static void pass_signals_on(struct program *program)
{
    if (program->ended) /* its number may be another's */
        return;
    passed_signals_send(program->pid);
    stop_with_program(program);
}

/* True when the program has ended; its status is then in `result`. */
static bool program_ended(struct program *program, bool is_told, struct recorder_result *result)
{
    if (!is_told && ++program->rounds_unasked < ROUNDS_UNASKED)
        return false;
    program->rounds_unasked = 0;
    return waitpid(program->pid, &result->wait_status, WNOHANG) == program->pid;
}

/* Whether a followed process other than the first still runs. */
static bool children_live(struct program *program)
{
    return program->options->follow_children &&
           survivors_are_there(&program->survivors, program->arena, (uint32_t)program->pid);
}

static int look(void *self, bool enough, struct recorder_result *result, struct fault *fault)
{
    struct program *program = self;
    (void)fault;
    pass_signals_on(program);
    bool const is_told = child_changed; /* of any child: the recorder has others */
    child_changed = 0;
    program->ended = program->ended || program_ended(program, is_told, result);
    result->has_ended = program->ended;
    if (program->ended && lifeline_is_pulled()) /* else its children may go on */
        lifeline_end_is_due();
    if (program->ended && (enough || lifeline_is_pulled() || !children_live(program)))
        return SUBJECT_ENDED;
    return enough ? SUBJECT_CUT : SUBJECT_RUNS;
}

static bool has_news(void *self)
{
    (void)self;
    return child_changed;
}

/* In the process that becomes the program. */
static void tell_pid(void *arena)
{
    shared_set(((struct arena *)arena)->memory, target_pid, getpid());
}

static int hold_program(void *self, struct arena *arena, struct fault *fault)
{
    struct program *program = self;
    program->arena = arena;
    arena_path(arena, program->name, sizeof(program->name));
    struct launch const launch = {.path = program->path,
                                  .arguments = program->options->command,
                                  .library = program->options->library,
                                  .arena = program->name,
                                  .before = tell_pid,
                                  .context = arena};
    program_invoked_remember(program->path, program->options->command[0]);
    program->pid = launch_hold(&launch, &program->held, fault);
    if (program->pid >= 0)
        launch_close_inherited();
    return program->pid;
}

static int start_program(void *self, struct arena *arena, struct fault *fault)
{
    struct program *program = self;
    int const pid = program->held.go >= 0 ? program->pid : hold_program(self, arena, fault);
    return pid < 0 ? pid : launch_go(&program->held, fault);
}

/* After --for the program goes on alone; its status is still what we exit with. */
static void wait_for_program(struct program *program, struct recorder_result *result)
{
    struct timespec nap = {0, NAP_NS};
    while (waitpid(program->pid, &result->wait_status, WNOHANG) == 0) {
        nanosleep(&nap, NULL); /* ends early at a signal */
        pass_signals_on(program);
    }
}

/* The library never came to life; its executable may tell why. */
static void judge_unrecorded(struct program *program, struct recorder_result *result)
{
    struct program_traits traits = {.pid = (uint32_t)program->pid, .root = ""};
    struct recording *recording = recording_create();
    if (recording && program->options->judge) {
        uint64_t const rate = program->options->heap_rate;
        recording->program = recording_intern(recording, program->path);
        recording->exit_status = result->wait_status;
        recording->quality.off_ns = rate == HEAP_OFF;
        recording->quality.sample_rate = rate == HEAP_OFF ? 0 : rate;
        program_traits_look(&traits, recording);
        program->options->judge(recording, result->doubt, sizeof(result->doubt));
    }
    recording_destroy(recording);
}

static void finish(void *self, enum subject_state how, struct recorder_result *result)
{
    if (result->recordings == 0 && result->unfinished == 0) /* else that is why */
        judge_unrecorded(self, result);
    if (how != SUBJECT_ENDED)
        wait_for_program(self, result);
}

int recorder_run(const struct recorder_options *options, struct recorder_result *result,
                 struct fault *fault)
{
    struct program program = {.options = options, .held = {.go = -1, .report = -1}};
    launch_remember();
    set_signals();
    /* Before anything takes the place of an older file. */
    int const err = launch_prepare(options->command[0], options->library, program.path,
                                   sizeof(program.path), fault);
    if (err < 0)
        return err;
    struct recorder_subject const subject = {hold_program, start_program, look,
                                             has_news,     finish,        &program};
    int const failure = recorder_record(options, &subject, result, fault);
    launch_let_go(&program.held); /* when it came to nothing before */
    return failure;
}
