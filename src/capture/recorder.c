/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/clock_keeper.h"
#include "capture/launch.h"
#include "capture/process_keeper.h"
#include "capture/program_traits.h"
#include "capture/roster.h"

/* How the recorder rests, by how full rings were: not at all, a little while the clock stays fresh,
 * or on a futex that a filling ring wakes. */
#define BUSY_PERCENT   25u
#define CALM_PERCENT   2u
#define SHORT_REST_NS  300000l
#define LONG_REST_NS   20000000l
#define ROUNDS_UNASKED 50u     /* a SIGCHLD may be lost */
#define HIGH_RATE      200000u /* words a second */
#define RATE_WINDOW_NS 20000000u

struct recorder {
    const struct recorder_options *options;
    struct arena arena;
    struct tick_clock clock;
    struct ring_reader *reader;
    struct slot_keeper *keeper;
    struct clock_keeper *clock_keeper;
    struct symbol_queue *symbols;
    struct roster *roster;
    struct inside_planner *planner;
    uint64_t rate_ns, rate_words; /* when the rate was last looked at, and the words read by then */
    pid_t pid;
    char path[PATH_MAX];     /* of the program */
    unsigned rounds_unasked; /* since the program was last asked after */
};

static volatile sig_atomic_t child_changed;
static volatile sig_atomic_t passed_on[NSIG];

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
        passed_on[number] = 1;
}

static void set_signals(void)
{
    static const int forwarded[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,   SIGUSR1,
                                    SIGUSR2, SIGCONT, SIGALRM, SIGWINCH, SIGURG};
    static const int ignored[] = {SIGXFSZ, SIGPIPE}; /* a file at its limit is a full disk to us */
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
    sigset_t mask;
    sigaction(SIGCHLD, &action, NULL);
    action = (struct sigaction){.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
        sigaction(forwarded[i], &action, NULL);
    action = (struct sigaction){.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        sigaction(ignored[i], &action, NULL);
    sigemptyset(&mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* Limits on files and address space are none of ours; the program gets its own back. */
static void lift_limits(void)
{
    static const __rlimit_resource_t lifted[] = {RLIMIT_FSIZE, RLIMIT_AS};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    for (size_t i = 0; i < sizeof(lifted) / sizeof(lifted[0]); i++) {
        struct rlimit limit;
        if (setrlimit(lifted[i], &none) == 0 || getrlimit(lifted[i], &limit) < 0)
            continue;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(lifted[i], &limit);
    }
}

/* Whoever waits for the program to close its output must not wait for us. */
static void let_descriptors_go(const struct arena *arena)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) {
        dup3(nothing, STDIN_FILENO, O_CLOEXEC);
        dup3(nothing, STDOUT_FILENO, O_CLOEXEC);
        close(nothing);
    }
    if (arena->fd > 3)
        close_range(3, (unsigned)arena->fd - 1, 0);
    close_range((unsigned)arena->fd + 1, ~0u, 0);
}

/* A ring that is read late costs the program waits, so we go before it where we may. */
#define RECORDER_NICE (-10)

static void rest(struct recorder *recorder, unsigned fullest)
{
    struct arena_header *header = recorder->arena.header;
    struct timespec little = {0, SHORT_REST_NS}, long_time = {0, LONG_REST_NS};
    if (fullest >= BUSY_PERCENT)
        return;
    if (fullest >= CALM_PERCENT) {
        nanosleep(&little, NULL);
        return;
    }
    atomic_store(&header->sleeping, 1);
    syscall(SYS_futex, &header->sleeping, FUTEX_WAIT, 1, &long_time, NULL, 0);
    atomic_store(&header->sleeping, 0);
}

static void pass_signals_on(struct recorder *recorder)
{
    for (int number = 1; number < NSIG; number++) {
        if (passed_on[number]) {
            passed_on[number] = 0;
            kill(recorder->pid, number);
        }
    }
}

/* True when the program has ended; its status is then in `result`. */
static bool program_ended(struct recorder *recorder, struct recorder_result *result)
{
    if (!child_changed && ++recorder->rounds_unasked < ROUNDS_UNASKED)
        return false;
    child_changed = 0;
    recorder->rounds_unasked = 0;
    return waitpid(recorder->pid, &result->wait_status, WNOHANG) == recorder->pid;
}

/* Threads stamp their events themselves unless there are very many of them. */
static void watch_rate(struct recorder *recorder, uint64_t now_ns)
{
    uint64_t words = ring_reader_words(recorder->reader);
    if (now_ns - recorder->rate_ns < RATE_WINDOW_NS)
        return;
    uint64_t per_second =
        (words - recorder->rate_words) * 1000000000u / (now_ns - recorder->rate_ns);
    clock_keeper_run(recorder->clock_keeper, per_second > HIGH_RATE);
    recorder->rate_words = words;
    recorder->rate_ns = now_ns;
}

/* Whether a followed process other than the first still runs. */
static bool children_live(struct recorder *recorder)
{
    return recorder->options->follow_children &&
           process_any_runs(&recorder->arena, (uint32_t)recorder->pid);
}

/* True when the program ended, false when the time of --for was up before. */
static bool read_until_end(struct recorder *recorder, struct recorder_result *result)
{
    uint64_t limit = recorder->options->for_ns ? recorder->options->for_ns : UINT64_MAX;
    bool ended = false;
    for (;;) {
        ended = ended || program_ended(recorder, result);
        uint64_t stamp = tick_clock_anchor(&recorder->clock);
        uint64_t now = tick_clock_ns(&recorder->clock, stamp);
        if (now >= limit || (ended && !children_live(recorder)))
            return ended;
        unsigned fullest = ring_reader_round(recorder->reader, &recorder->clock);
        watch_rate(recorder, now);
        roster_look(recorder->roster, now);
        slot_keeper_look(recorder->keeper, now);
        pass_signals_on(recorder);
        if (!child_changed)
            rest(recorder, fullest);
    }
}

/* After --for the program goes on alone; its status is still what we exit with. */
static void wait_for_program(struct recorder *recorder, struct recorder_result *result)
{
    struct timespec nap = {0, LONG_REST_NS};
    while (waitpid(recorder->pid, &result->wait_status, WNOHANG) == 0) {
        nanosleep(&nap, NULL); /* ends early at a signal */
        pass_signals_on(recorder);
    }
}

static void recorder_fini(struct recorder *recorder)
{
    ring_reader_destroy(recorder->reader);
    roster_destroy(recorder->roster);
    slot_keeper_destroy(recorder->keeper);
    inside_planner_destroy(recorder->planner);
    clock_keeper_destroy(recorder->clock_keeper);
    symbol_queue_destroy(recorder->symbols);
    arena_close(&recorder->arena);
    free(recorder);
}

static int start_program(struct recorder *recorder, struct fault *fault)
{
    char arena[64];
    int err =
        launch_find(recorder->options->command[0], recorder->path, sizeof(recorder->path), fault);
    if (err == 0)
        err = launch_check(recorder->path, fault);
    if (err < 0)
        return err;
    arena_path(&recorder->arena, arena, sizeof(arena));
    struct launch launch = {.path = recorder->path,
                            .arguments = recorder->options->command,
                            .library = recorder->options->library,
                            .arena = arena,
                            .target_pid = &recorder->arena.header->target_pid};
    if (strpbrk(launch.library, " :"))
        return fault_set(
            fault, -EIO,
            "the path %s has a space or a colon in it, which the loader takes for the end of a "
            "name; put memoir elsewhere",
            launch.library);
    recorder->pid = launch_start(&launch, fault);
    if (recorder->pid < 0)
        return recorder->pid;
    let_descriptors_go(&recorder->arena);
    inside_planner_begin(recorder->planner);
    return 0;
}

/* All that is needed besides the arena. */
static int furnish(struct recorder *recorder, struct fault *fault)
{
    recorder->keeper = slot_keeper_create(&recorder->arena);
    recorder->symbols = symbol_queue_create();
    recorder->clock_keeper = clock_keeper_create(&recorder->arena);
    recorder->planner = inside_planner_create(&recorder->arena, recorder->options->allocator);
    recorder->roster = roster_create(&(struct roster_options){.recorder = recorder->options,
                                                              .arena = &recorder->arena,
                                                              .slots = recorder->keeper,
                                                              .symbols = recorder->symbols,
                                                              .clock = &recorder->clock});
    recorder->reader = ring_reader_create(&recorder->arena, roster_session, recorder->roster);
    if (!recorder->clock_keeper || !recorder->reader || !recorder->keeper || !recorder->symbols ||
        !recorder->roster || !recorder->planner)
        return fault_set(fault, -ENOMEM, "out of memory before the start");
    return 0;
}

/* The library never came to life; its executable may tell why. */
static void judge_unrecorded(struct recorder *recorder, struct recorder_result *result)
{
    struct program_traits traits = {.pid = (uint32_t)recorder->pid, .root = ""};
    struct recording *recording = recording_create();
    if (recording && recorder->options->judge) {
        recording->program = recording_intern(recording, recorder->path);
        program_traits_look(&traits, recording);
        recorder->options->judge(recording, result->doubt, sizeof(result->doubt));
    }
    recording_destroy(recording);
}

int recorder_run(const struct recorder_options *options, struct recorder_result *result,
                 struct fault *fault)
{
    struct recorder *recorder = calloc(1, sizeof(*recorder));
    if (!recorder)
        return fault_set(fault, -ENOMEM, "out of memory before the start");
    memset(result, 0, sizeof(*result));
    recorder->options = options;
    recorder->arena.fd = -1;
    launch_remember();
    set_signals();
    lift_limits();
    tick_clock_start(&recorder->clock);
    int err = arena_open(&recorder->arena, options->follow_children, fault);
    if (err == 0)
        err = furnish(recorder, fault);
    if (err == 0)
        err = roster_check_output(recorder->roster, fault);
    if (err == 0) {
        err = start_program(recorder, fault);
        if (err < 0)
            roster_withdraw_output(recorder->roster);
    }
    if (err == 0) {
        setpriority(PRIO_PROCESS, 0, RECORDER_NICE); /* only root may; the others do without */
        roster_begin(recorder->roster, recorder->reader, recorder->planner,
                     (uint32_t)recorder->pid);
        bool ended = read_until_end(recorder, result);
        atomic_store(&recorder->arena.header->off, 1);
        ring_reader_drain(recorder->reader, &recorder->clock);
        tick_clock_anchor(&recorder->clock);
        roster_end(recorder->roster, result, ended);
        if (result->recordings == 0)
            judge_unrecorded(recorder, result);
        if (!ended)
            wait_for_program(recorder, result);
    }
    recorder_fini(recorder);
    return err;
}
