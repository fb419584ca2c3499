/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/outside/outside_recorder.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "capture/programs/held_launch.h"
#include "capture/programs/launch.h"
#include "capture/programs/stop_signals.h"
#include "capture/outputs/output_name.h"
#include "capture/sessions/recorder_cost.h"
#include "capture/sessions/session_list.h"
#include "procfs/process/process_facts.h"

#define ROUND_NS  50000000l
#define SELECT_NS NS_PER_SECOND

struct outside_recorder {
    const struct outside_recorder_options *options;
    struct cell_sources cells;
    struct session_list sessions;
    struct pid_list ended;   /* not to be begun again */
    struct pid_list watched; /* that share the one recording of all */
    pid_t child;             /* that we started; 0: none */
    char program[PATH_MAX];  /* ... to become this */
    char command_line[4096]; /* ... called so */
    int wait_status, exec_errno;
    bool child_has_ended;
    bool has_failed; /* nothing of it is worth keeping */
    uint32_t recordings, unfinished;
    uint64_t began_ns, selected_ns;
};

static bool is_recorded(const struct outside_recorder *recorder, uint32_t pid)
{
    vec_each (watched, &recorder->watched.pids)
        if (*watched == pid)
            return true;
    vec_each (session, &recorder->sessions.open)
        if (session_pid(*session) == pid)
            return true;
    return false;
}

/* Opens the recording of a process that is watched. */
static int open_session(struct outside_recorder *recorder, uint32_t pid, bool has_begun,
                        struct fault *fault)
{
    const struct outside_recorder_options *options = recorder->options;
    const char *slash = strrchr(recorder->program, '/');
    char child_name[NAME_MAX];
    snprintf(child_name, sizeof(child_name), "child-of-%.200s",
             slash ? slash + 1 : recorder->program);
    bool const is_child = recorder->child && (pid_t)pid == recorder->child;
    struct session_options const session_options = {
        .output = recorder->recordings == 0 ? options->wish.output : NULL,
        .folder = "",
        .pid = pid,
        .program = options->together ? options->together
                   : is_child        ? recorder->program
                                     : NULL,
        .otherwise = recorder->program[0] ? child_name : options->awaited,
        .command_line = is_child ? recorder->command_line : NULL,
        .has_begun = has_begun};
    if (!session_list_open(&recorder->sessions, &session_options, monotonic_ns(), fault))
        return fault && fault->code ? fault->code : -EIO;
    if (recorder->recordings++ == 0 && options->wish.began)
        options->wish.began(options->wish.context, options->wish.quiet, pid);
    return 0;
}

static int watch(struct outside_recorder *recorder, uint32_t pid, bool is_whole,
                 struct fault *fault)
{
    int err = 0;
    for (unsigned i = 0; i < recorder->options->watch_count && err == 0; i++) {
        struct outside_watch *watch = recorder->options->watches[i];
        err = watch->watch(watch->self, pid, is_whole, fault);
    }
    return err;
}

static int begin(struct outside_recorder *recorder, uint32_t pid, bool is_whole,
                 struct fault *fault)
{
    int err = watch(recorder, pid, is_whole, fault);
    if (err < 0 || !recorder->options->together)
        return err < 0 ? err : open_session(recorder, pid, !is_whole, fault);
    return vec_push(&recorder->watched.pids, pid) ? 0 : -ENOMEM;
}

/* What became of whom it is about. */
static struct session_end describe_end(const struct outside_recorder *recorder, uint32_t pid)
{
    bool const is_child =
        (recorder->child == (pid_t)pid || recorder->options->together) && recorder->child_has_ended;
    bool const is_gone = pid && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
    struct session_end end = {.now_ns = monotonic_ns(),
                              .exit_status = is_child ? recorder->wait_status : -1,
                              .end = is_child || is_gone ? END_OVER
                                     : pid               ? END_RUNS_ON
                                                         : END_UNKNOWN};
    recorder_cost_measure(&end.cost);
    return end;
}

/* A session_feed's. */
static void close_session(void *self, struct session *session)
{
    struct outside_recorder *recorder = self;
    const struct outside_recorder_options *options = recorder->options;
    bool const is_told = session_has_failed(session);
    struct fault fault = {0};
    if (options->ended)
        options->ended(options, session_recording(session), session_path(session));
    if (session_close(session, &fault) == 0)
        return;
    recorder->unfinished++;
    if (!is_told)
        say_text(options->wish.say, "%s", fault.text);
}

static const struct session_feed feed = {.close = close_session};

static void end_session(struct outside_recorder *recorder, size_t at)
{
    struct session *session = recorder->sessions.open.items[at];
    (void)vec_push(&recorder->ended.pids, session_pid(session));
    if (recorder->has_failed) {
        session_list_abandon(&recorder->sessions, session);
        return;
    }
    struct session_end const end = describe_end(recorder, session_pid(session));
    session_list_end(&recorder->sessions, session, &end);
    session_list_close(&recorder->sessions, true);
}

static void wait_for_child(struct outside_recorder *recorder, int how)
{
    if (recorder->child > 0 && !recorder->child_has_ended &&
        waitpid(recorder->child, &recorder->wait_status, how) == recorder->child)
        recorder->child_has_ended = true;
}

/* Whether a process is over, or watched by nobody any more. */
static bool is_over(struct outside_recorder *recorder, uint32_t pid, bool *has_execed)
{
    const struct outside_watch *watch = recorder->options->watches[0];
    struct outside_state state = {.has_ended = false};
    bool const is_watched = watch->state(watch->self, pid, &state);
    bool const over = !is_watched || state.has_ended || !process_runs(pid);
    *has_execed = is_watched && state.has_execed;
    if (over && recorder->child == (pid_t)pid)
        wait_for_child(recorder, 0); /* it was said to be over before it was */
    return over;
}

/* Whether nobody is left whom the one recording of all is about. */
static bool all_are_over(struct outside_recorder *recorder)
{
    bool has_execed;
    for (size_t i = recorder->watched.pids.count; i-- > 0;) {
        uint32_t const pid = recorder->watched.pids.items[i];
        if (!is_over(recorder, pid, &has_execed))
            continue;
        (void)vec_push(&recorder->ended.pids, pid);
        recorder->watched.pids.items[i] =
            recorder->watched.pids.items[--recorder->watched.pids.count];
    }
    return recorder->watched.pids.count == 0 && !recorder->options->is_endless &&
           !recorder->options->selector;
}

/* Ends the recordings of processes that have ended. */
static void end_over(struct outside_recorder *recorder)
{
    for (size_t i = recorder->sessions.open.count; i-- > 0;) {
        struct session *session = recorder->sessions.open.items[i];
        bool has_execed = false;
        bool const over = recorder->options->together
                              ? all_are_over(recorder)
                              : is_over(recorder, session_pid(session), &has_execed);
        if (has_execed)
            session_renamed(session);
        if (over)
            end_session(recorder, i);
    }
}

static bool has_ended(const struct outside_recorder *recorder, uint32_t pid)
{
    vec_each (ended, &recorder->ended.pids)
        if (*ended == pid)
            return true;
    return false;
}

/* A child that one of those who watch has told of; the others are told. */
static void begin_child(struct outside_recorder *recorder, unsigned teller, uint32_t child)
{
    const struct outside_recorder_options *options = recorder->options;
    for (unsigned i = 0; i < options->watch_count; i++) {
        struct outside_watch *watch = options->watches[i];
        if (i != teller)
            (void)watch->watch(watch->self, child, false, NULL);
    }
    if (open_session(recorder, child, false, NULL) < 0)
        recorder->cells.source.forget(recorder->cells.source.self, child);
}

/* Children that the kernel watches for us. */
static void find_children(struct outside_recorder *recorder)
{
    const struct outside_recorder_options *options = recorder->options;
    uint32_t child;
    for (unsigned i = 0; i < options->watch_count; i++)
        while ((child = options->watches[i]->next_child(options->watches[i]->self)) != 0)
            if (!options->together && !is_recorded(recorder, child))
                begin_child(recorder, i, child);
}

static bool may_others_come(const struct outside_recorder *recorder)
{
    return recorder->options->selector && !(recorder->options->is_one && recorder->recordings > 0);
}

/* And whoever is selected by now. */
static void find_others(struct outside_recorder *recorder)
{
    const struct outside_recorder_options *options = recorder->options;
    find_children(recorder);
    if (!may_others_come(recorder) || monotonic_ns() - recorder->selected_ns < SELECT_NS)
        return;
    struct pid_list found = {.pids = {NULL, 0, 0}};
    recorder->selected_ns = monotonic_ns();
    options->selector->find(options->selector->self, &found);
    vec_each (pid, &found.pids)
        if (!is_recorded(recorder, *pid) && (!has_ended(recorder, *pid) || process_runs(*pid)))
            (void)begin(recorder, *pid, false, NULL);
    vec_free(&found.pids);
}

static void look_at_peaks(struct outside_recorder *recorder)
{
    vec_each (session, &recorder->sessions.open)
        session_look_at_peak(*session);
}

static void record(struct outside_recorder *recorder)
{
    struct timespec const round = {0, ROUND_NS};
    while (!stop_signals_asked() &&
           !recording_wish_is_met(&recorder->options->wish, monotonic_ns() - recorder->began_ns) &&
           (recorder->sessions.open.count > 0 || may_others_come(recorder))) {
        nanosleep(&round, NULL);
        if (recorder->options->is_one && recorder->recordings == 0)
            recorder->began_ns = monotonic_ns(); /* the time is that of whom we wait for */
        look_at_peaks(recorder);
        wait_for_child(recorder, WNOHANG);
        find_others(recorder);
        end_over(recorder);
        session_list_tick(&recorder->sessions, monotonic_ns());
    }
    find_children(recorder); /* that were told of just now */
    while (recorder->sessions.open.count > 0) {
        end_session(recorder, recorder->sessions.open.count - 1);
        find_children(recorder);
    }
}

/* Before anything takes the place of an older recording: one of a name that was mistyped is no
 * reason to lose it. */
static int find_program(struct outside_recorder *recorder, struct fault *fault)
{
    char *const *command = recorder->options->command;
    if (!command)
        return 0;
    int const err = launch_find(command[0], recorder->program, sizeof(recorder->program), fault);
    recorder->exec_errno = -err;
    launch_join(command, recorder->command_line, sizeof(recorder->command_line));
    return err;
}

/* Its process waits until somebody watches it, and then becomes the program. */
static int start_program(struct outside_recorder *recorder, char *const *command,
                         struct fault *fault)
{
    struct held_launch held;
    int err = held_launch_begin(&held, command, fault);
    if (err == 0) {
        recorder->child = held.pid;
        err = begin(recorder, (uint32_t)held.pid, true, fault);
    }
    if (err == 0)
        recorder->exec_errno = held_launch_go(&held);
    held_launch_end(&held);
    if (recorder->exec_errno)
        err = fault_set(fault, -EIO, "%s cannot be started: %s", command[0],
                        strerror(recorder->exec_errno));
    return err;
}

static int start(struct outside_recorder *recorder, struct fault *fault)
{
    const struct outside_recorder_options *options = recorder->options;
    if (options->together) {
        int err = open_session(recorder, 0, true, fault);
        if (err < 0)
            return err;
    }
    if (options->command)
        return start_program(recorder, options->command, fault);
    vec_each (pid, &options->fixed.pids) {
        int err = begin(recorder, *pid, false, fault);
        if (err < 0)
            return err;
    }
    return 0;
}

int outside_record(const struct outside_recorder_options *options,
                   struct outside_recorder_result *result, struct fault *fault)
{
    struct outside_recorder recorder = {
        .options = options,
        .sessions = {.wish = &options->wish,
                     .source = options->source,
                     .symbols = symbol_queue_create(options->wish.say),
                     .pss = pss_reader_create(),
                     .cells = &recorder.cells.source,
                     .feed = &feed,
                     .feeder = &recorder},
        .wait_status = -1,
        .began_ns = monotonic_ns()};
    cell_sources_init(&recorder.cells);
    for (unsigned i = 0; i < options->watch_count; i++)
        cell_sources_add(&recorder.cells, options->watches[i]->cells);
    stop_signals_catch(false);
    int err = find_program(&recorder, fault);
    if (err == 0)
        err = output_check(&options->wish, fault);
    if (err == 0)
        err = recorder.sessions.symbols
                  ? start(&recorder, fault)
                  : fault_set(fault, -ENOMEM, "out of memory before the start");
    recorder.has_failed = err < 0;
    if (err == 0)
        record(&recorder);
    while (recorder.sessions.open.count > 0) /* what had begun when another could not */
        end_session(&recorder, recorder.sessions.open.count - 1);
    wait_for_child(&recorder, WNOHANG);
    *result = (struct outside_recorder_result){recorder.child_has_ended ? recorder.wait_status : -1,
                                               recorder.exec_errno, recorder.recordings,
                                               recorder.unfinished};
    vec_free(&recorder.ended.pids);
    vec_free(&recorder.watched.pids);
    session_list_fini(&recorder.sessions);
    symbol_queue_destroy(recorder.sessions.symbols);
    pss_reader_destroy(recorder.sessions.pss);
    return err;
}
