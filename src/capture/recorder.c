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
#include "capture/death_note.h"
#include "capture/launch.h"
#include "procfs/process_facts.h"
#include "capture/ring_reader.h"
#include "capture/slot_keeper.h"

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
    struct session *sessions[ARENA_PROCESSES];
    uint32_t session_count; /* highest index used, plus one */
    char command_line[4096];
    char folder[PATH_MAX];        /* of recordings that have no name of their own */
    uint64_t rate_ns, rate_words; /* when the rate was last looked at, and the words read by then */
    pid_t pid;
    uint64_t oom_kills;
    unsigned rounds_unasked; /* since the program was last asked after */
    bool told_failure;
    bool made_output; /* the file was not there before */
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

/* Our own limit on files is none of the program's, which gets its own back. */
static void lift_file_limit(void)
{
    struct rlimit limit;
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &none) < 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_FSIZE, &limit);
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

static void join_command(struct recorder *recorder)
{
    size_t at = 0;
    for (char **word = recorder->options->command; *word; word++)
        at += (size_t)snprintf(recorder->command_line + (at < 4095 ? at : 4095),
                               at < 4095 ? sizeof(recorder->command_line) - at : 1, "%s%s",
                               at ? " " : "", *word);
}

/* How many programs the process has been before the present one. */
static unsigned images_of(const struct recorder *recorder, uint32_t pid)
{
    unsigned images = 0;
    for (uint32_t i = 0; i < recorder->session_count; i++)
        images += recorder->sessions[i] && session_pid(recorder->sessions[i]) == pid;
    return images;
}

/* A wrapper that became the program by exec is not what was asked for. */
static void abandon_earlier_images(struct recorder *recorder)
{
    for (uint32_t i = 0; i < recorder->session_count; i++) {
        if (!recorder->sessions[i])
            continue;
        ring_reader_forget(recorder->reader, recorder->sessions[i]);
        session_abandon(recorder->sessions[i]);
        recorder->sessions[i] = NULL;
    }
}

/* Finds out before the program starts whether its recording can be written. */
static int check_output(struct recorder *recorder, struct fault *fault)
{
    const char *output = recorder->options->output, *slash = output ? strrchr(output, '/') : NULL;
    if (slash)
        snprintf(recorder->folder, sizeof(recorder->folder), "%.*s", (int)(slash - output), output);
    if (output) {
        recorder->made_output = access(output, F_OK) < 0;
        int fd = open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            return fault_set(fault, -EIO, "cannot write %s: %s; choose another place with -o",
                             output, strerror(errno));
        close(fd);
    } else if (access(".", W_OK) < 0) {
        return fault_set(fault, -EIO,
                         "cannot write a recording in this folder: %s; choose a place with -o",
                         strerror(errno));
    }
    return 0;
}

static struct session *session_of(void *context, uint32_t process, uint64_t now_ns)
{
    struct recorder *recorder = context;
    struct fault fault = {0};
    if (process >= ARENA_PROCESSES)
        return NULL;
    if (recorder->sessions[process])
        return recorder->sessions[process];
    uint32_t pid = arena_process_at(recorder->arena.memory, process)->pid;
    bool follow = recorder->options->follow_children;
    if (!follow && (pid != (uint32_t)recorder->pid || process < recorder->session_count))
        return NULL;
    if (!follow)
        abandon_earlier_images(recorder);
    struct session_options options = {.output = process == 0 || !follow ? recorder->options->output
                                                                        : NULL,
                                      .folder = recorder->folder,
                                      .image = images_of(recorder, pid),
                                      .max_bytes = recorder->options->max_bytes,
                                      .command_line = recorder->command_line,
                                      .symbols = recorder->symbols};
    struct session *session = session_open(&recorder->arena, process, &options, now_ns, &fault);
    if (!session) {
        if (!recorder->told_failure)
            fprintf(stderr, "memoir: %s; the program runs on unrecorded\n", fault.text);
        recorder->told_failure = true;
        return NULL;
    }
    recorder->sessions[process] = session;
    if (process >= recorder->session_count)
        recorder->session_count = process + 1;
    return session;
}

static void tick_all(struct recorder *recorder, uint64_t now_ns)
{
    struct fault fault = {0};
    for (uint32_t i = 0; i < recorder->session_count; i++) {
        if (!recorder->sessions[i] || !session_is_due(recorder->sessions[i], now_ns))
            continue;
        ring_reader_leave(recorder->reader);
        if (session_tick(recorder->sessions[i], now_ns, &fault) < 0)
            fprintf(stderr, "memoir: %s; recording goes on in memory\n", fault.text);
        ring_reader_return(recorder->reader);
    }
}

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

static uint64_t now_of(struct recorder *recorder)
{
    return tick_clock_ns(&recorder->clock, tick_clock_anchor(&recorder->clock));
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
static bool children_live(const struct recorder *recorder)
{
    uint32_t count = atomic_load(&recorder->arena.header->process_count);
    if (!recorder->options->follow_children)
        return false;
    for (uint32_t i = 0; i < count && i < ARENA_PROCESSES; i++) {
        struct arena_process *process = arena_process_at(recorder->arena.memory, i);
        if (process->pid != (uint32_t)recorder->pid && process_runs(process->pid))
            return true;
    }
    return false;
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
        tick_all(recorder, now);
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

static struct cost measure_cost(struct recorder *recorder, uint32_t process)
{
    struct rusage usage;
    struct cost cost = {0};
    getrusage(RUSAGE_SELF, &usage);
    slot_keeper_cost(recorder->keeper, process, recorder->clock.ns_per_tick, &cost);
    cost.recorder_cpu_ns = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
    cost.recorder_rss_bytes = (uint64_t)usage.ru_maxrss * 1024u;
    return cost;
}

static void end_session(struct recorder *recorder, struct session *session,
                        struct recorder_result *result, bool ended)
{
    struct fault fault = {0};
    char death[128];
    bool reaped = ended && session_pid(session) == (uint32_t)recorder->pid;
    struct session_end end = {.now_ns = now_of(recorder),
                              .exit_status = reaped ? result->wait_status : -1,
                              .cost = measure_cost(recorder, session_process(session))};
    if (ended) /* else threads may be counting on at this moment */
        end.lost_events =
            slot_keeper_totals(recorder->keeper, session_process(session), &end.exact);
    if (reaped && WIFSIGNALED(result->wait_status)) {
        bool oom = process_oom_kills() > recorder->oom_kills;
        death_describe(result->wait_status, oom, death, sizeof(death));
        end.death = death;
    }
    if (session_end(session, &end, &fault) < 0)
        fprintf(stderr, "memoir: %s\n", fault.text);
    if (session_name(session) && end.death)
        death_print(session_recording(session), result->summary, sizeof(result->summary));
    if (!recorder->options->quiet)
        fprintf(stderr, "memoir: recorded %s; see it with: memoir report %s\n",
                session_path(session), session_path(session));
    if (session_close(session, &fault) < 0)
        fprintf(stderr, "memoir: %s\n", fault.text);
    result->recordings++;
}

static void end_all(struct recorder *recorder, struct recorder_result *result, bool ended)
{
    ring_reader_drain(recorder->reader, &recorder->clock);
    for (uint32_t i = 0; i < recorder->session_count; i++) {
        if (recorder->sessions[i])
            end_session(recorder, recorder->sessions[i], result, ended);
        recorder->sessions[i] = NULL;
    }
}

static void recorder_fini(struct recorder *recorder)
{
    ring_reader_destroy(recorder->reader);
    slot_keeper_destroy(recorder->keeper);
    clock_keeper_destroy(recorder->clock_keeper);
    symbol_queue_destroy(recorder->symbols);
    arena_close(&recorder->arena);
    free(recorder);
}

static int start_program(struct recorder *recorder, struct fault *fault)
{
    char path[PATH_MAX], arena[64];
    int err = launch_find(recorder->options->command[0], path, sizeof(path), fault);
    if (err == 0)
        err = launch_check(path, fault);
    if (err < 0)
        return err;
    arena_path(&recorder->arena, arena, sizeof(arena));
    struct launch launch = {.path = path,
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
    return 0;
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
    recorder->oom_kills = process_oom_kills();
    join_command(recorder);
    launch_remember();
    set_signals();
    lift_file_limit();
    tick_clock_start(&recorder->clock);
    int err = arena_open(&recorder->arena, options->follow_children, fault);
    if (err == 0) {
        recorder->reader = ring_reader_create(&recorder->arena, session_of, recorder);
        recorder->keeper = slot_keeper_create(&recorder->arena);
        recorder->symbols = symbol_queue_create();
        recorder->clock_keeper = clock_keeper_create(&recorder->arena);
        if (!recorder->clock_keeper || !recorder->reader || !recorder->keeper || !recorder->symbols)
            err = fault_set(fault, -ENOMEM, "out of memory before the start");
    }
    if (err == 0)
        err = check_output(recorder, fault);
    if (err == 0)
        err = start_program(recorder, fault);
    if (err < 0 && recorder->made_output)
        unlink(options->output);
    if (err == 0) {
        setpriority(PRIO_PROCESS, 0, RECORDER_NICE); /* only root may; the others do without */
        bool ended = read_until_end(recorder, result);
        atomic_store(&recorder->arena.header->off, 1);
        end_all(recorder, result, ended);
        if (!ended)
            wait_for_program(recorder, result);
    }
    recorder_fini(recorder);
    return err;
}
