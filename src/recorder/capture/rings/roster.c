/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/roster.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "capture/programs/death_note.h"
#include "capture/programs/launch.h"
#include "capture/sessions/output_place.h"
#include "capture/sessions/process_keeper.h"
#include "capture/sessions/recorder_cost.h"
#include "capture/sessions/run_notes.h"
#include "capture/sessions/say_recordings.h"
#include "inject/choice/exit_status.h"
#include "procfs/process/process_facts.h"

#define LOOK_NS 100000000ull
#define CROWDED (ARENA_PROCESSES / 4) /* from so many processes on it looks all the time */

struct roster {
    struct roster_options options;
    struct ring_reader *reader;
    struct inside_planner *planner;
    struct session *sessions[ARENA_PROCESSES];
    int pidfds[ARENA_PROCESSES]; /* of children with a session, plus one; 0: none */
    uint32_t session_count;      /* highest index used, plus one */
    char command_line[4096];
    struct output_place place; /* of the first recording */
    uint32_t pid;
    uint64_t next_look_ns;
    uint64_t ended_ns;   /* when the program did, which its children may outlive; 0: it has not */
    uint32_t silent;     /* processes that are over, of which there was nothing to record */
    uint32_t unfinished; /* recordings that could not be written to their end */
    bool crowded;
    bool told_failure;
    bool has_opened; /* the first recording, which has the name that was asked for */

    /* Processes that were found to be over; their events are read once the reader is past the marks. */
    VEC(uint32_t) over;
    struct ring_marks marks;
    VEC(struct session *) unnamed; /* ended, but for the names of their frames */
    struct session *program;       /* known at the end */
    char *named[RECORDINGS_NAMED]; /* the program's is the first */
    uint32_t recordings, others;   /* written in all; of them, not the program's */
};

struct roster *roster_create(const struct roster_options *options)
{
    struct roster *roster = calloc(1, sizeof(*roster));
    if (!roster)
        return NULL;
    roster->options = *options;
    output_place_init(&roster->place);
    return roster;
}

static void close_pidfd(struct roster *roster, uint32_t process)
{
    if (roster->pidfds[process] > 0)
        close(roster->pidfds[process] - 1);
    roster->pidfds[process] = 0;
}

void roster_destroy(struct roster *roster)
{
    if (!roster)
        return;
    output_place_release(&roster->place);
    for (unsigned i = 0; i < RECORDINGS_NAMED; i++)
        free(roster->named[i]);
    for (uint32_t i = 0; i < ARENA_PROCESSES; i++)
        close_pidfd(roster, i);
    vec_free(&roster->over);
    vec_free(&roster->unnamed);
    free(roster);
}

int roster_check_output(struct roster *roster, struct fault *fault)
{
    return output_place_take(&roster->place, &roster->options.recorder->wish, fault);
}

void roster_withdraw_output(struct roster *roster)
{
    output_place_withdraw(&roster->place, &roster->options.recorder->wish);
}

void roster_begin(struct roster *roster, struct ring_reader *reader, struct inside_planner *planner,
                  uint32_t pid)
{
    roster->reader = reader;
    roster->planner = planner;
    roster->pid = pid;
}

/* Whether a program that the process became after this one has something recorded. */
static bool has_later_image(const struct roster *roster, uint32_t process)
{
    struct arena_process *earlier = arena_process_at(roster->options.arena->memory, process);
    for (uint32_t i = 0; i < roster->session_count; i++) {
        struct arena_process *later = arena_process_at(roster->options.arena->memory, i);
        if (roster->sessions[i] && later->pid == earlier->pid &&
            (int32_t)(later->serial - earlier->serial) > 0)
            return true;
    }
    return false;
}

/* A wrapper that became the program by exec is not what was asked for. */
static void abandon_earlier_images(struct roster *roster)
{
    for (uint32_t i = 0; i < roster->session_count; i++) {
        if (!roster->sessions[i])
            continue;
        ring_reader_forget(roster->reader, roster->sessions[i]);
        session_abandon(roster->sessions[i]);
        roster->sessions[i] = NULL;
        roster->has_opened = false;
    }
}

/* What the planner has to say about the process goes into its recording, and complaints to the person too. */
static void note_allocators(struct roster *roster, struct session *session)
{
    struct inside_note note;
    uint32_t serial =
        arena_process_at(roster->options.arena->memory, session_process(session))->serial;
    while (inside_planner_take_note(roster->planner, serial, &note)) {
        session_note(session, note.text);
        if (note.in_executable && !note.complaint)
            session_sees_allocator(session);
        if (note.complaint && !roster->options.recorder->wish.quiet)
            say_text(roster->options.recorder->wish.say, "%s", note.text);
    }
}

/* Whether it is the program itself; one in another pid namespace knows only its own number. */
static bool is_program(const struct roster *roster, uint32_t process)
{
    const struct arena_process *entry = arena_process_at(roster->options.arena->memory, process);
    const struct recorder_attached *attached = roster->options.recorder->attached;
    return entry->pid == roster->pid || (attached && entry->pid == 0 && !entry->forked &&
                                         entry->local_pid == attached->local_pid);
}

/* One that was attached to begins with its recording. */
static uint64_t age_of(const struct roster *roster, uint32_t process, uint64_t now_ns)
{
    bool const ran_before = roster->options.recorder->attached && is_program(roster, process);
    return ran_before ? 0
                      : now_ns - process_begin_ns(roster->options.arena, process,
                                                  roster->options.clock, now_ns);
}

/* `first`: it is the one whose recording has the name that was asked for. */
static struct session *open_session(struct roster *roster, uint32_t process, bool first,
                                    uint64_t now_ns, struct fault *fault)
{
    const struct recorder_options *wanted = roster->options.recorder;
    struct session_rings const rings = {.arena = roster->options.arena,
                                        .process = process,
                                        .look_every_ns = wanted->look_every_ns,
                                        .watcher = wanted->watcher,
                                        .attached = first ? wanted->attached : NULL};
    struct session_options const options = {.output = first ? wanted->wish.output : NULL,
                                            .folder = roster->place.folder,
                                            .claim = first ? &roster->place.claim : NULL,
                                            .made_output = first && roster->place.is_new,
                                            .age_ns = age_of(roster, process, now_ns),
                                            .max_bytes = wanted->wish.max_bytes,
                                            .command_line = roster->command_line,
                                            .symbols = roster->options.symbols,
                                            .disk = roster->options.disk,
                                            .pss = roster->options.pss,
                                            .cells = roster->options.cells,
                                            .source =
                                                wanted->attached ? "memoir attach" : "memoir run",
                                            .say = wanted->wish.say,
                                            .rings = &rings};
    return session_open(&options, now_ns - options.age_ns, fault);
}

struct session *roster_session(void *context, uint32_t process, uint64_t now_ns)
{
    struct roster *roster = context;
    struct fault fault = {0};
    if (process >= ARENA_PROCESSES)
        return NULL;
    if (roster->sessions[process])
        return roster->sessions[process];
    bool program = is_program(roster, process);
    bool follow = roster->options.recorder->follow_children;
    if (follow ? !program && process_is_stranger(roster->options.arena, process)
               : !program || has_later_image(roster, process))
        return NULL;
    if (!follow)
        abandon_earlier_images(roster);
    bool first = program && !roster->has_opened;
    if (!roster->command_line[0]) /* an attached program may become another until we are in */
        launch_join(roster->options.recorder->command, roster->command_line,
                    sizeof(roster->command_line));
    struct session *session = open_session(roster, process, first, now_ns, &fault);
    if (!session) {
        if (!roster->told_failure)
            say_text(roster->options.recorder->wish.say, "%s; the program runs on unrecorded",
                     fault.text);
        roster->told_failure = true;
        return NULL;
    }
    roster->has_opened |= first;
    roster->sessions[process] = session;
    if (!program)
        roster->pidfds[process] = (int)syscall(SYS_pidfd_open, session_pid(session), 0) + 1;
    note_allocators(roster, session);
    if (process >= roster->session_count)
        roster->session_count = process + 1;
    return session;
}

/* Whether the recording begins without anything that the program does: what it had before is worth a look where it ran already, and it may be at
 * rest for hours; and what is seen from outside does not wait for its first block. */
static bool begins_unasked(const struct recorder_options *options)
{
    return options->attached ? options->attached->is_in : options->cpu || options->pages;
}

static void open_unasked(struct roster *roster, uint64_t now_ns)
{
    struct arena *arena = roster->options.arena;
    if (roster->has_opened || !begins_unasked(roster->options.recorder))
        return;
    uint32_t high = atomic_load(&arena->header->process_high);
    for (uint32_t i = 0; i < high && i < ARENA_PROCESSES && !roster->has_opened; i++)
        if (atomic_load(&arena_process_at(arena->memory, i)->state) == PROCESS_RUNNING &&
            is_program(roster, i))
            (void)roster_session(roster, i, now_ns);
}

bool roster_mark(struct roster *roster, enum mark_kind kind, const char *text, uint64_t now_ns)
{
    bool marked = false;
    for (uint32_t i = 0; i < roster->session_count; i++) {
        struct session *session = roster->sessions[i];
        if (!session)
            continue;
        size_t const before = session_recording(session)->marks.last_number;
        session_told_mark(session, kind, slice_of(text), session_time(session, now_ns));
        marked |= session_recording(session)->marks.last_number != before;
    }
    return marked;
}

static struct cost measure_cost(struct roster *roster, uint32_t process)
{
    struct cost cost = {0};
    slot_keeper_cost(roster->options.slots, process, roster->options.clock->ns_per_tick, &cost);
    recorder_cost_measure(&cost);
    return cost;
}

/* What the threads of a process counted; returns the events that are lost. */
static uint64_t count_calls(struct roster *roster, uint32_t process, struct session_counts *counts)
{
    slot_keeper_thinned(roster->options.slots, process, &counts->thinned_calls,
                        &counts->thinned_bytes);
    return slot_keeper_totals(roster->options.slots, process, &counts->exact);
}

static void count_thinned(struct roster *roster, uint32_t process)
{
    struct session_counts counts = {0};
    if (!session_is_thinned(roster->sessions[process]))
        return;
    count_calls(roster, process, &counts);
    session_count(roster->sessions[process], &counts);
}

void roster_note_end(struct roster *roster, uint64_t now_ns)
{
    roster->ended_ns = roster->ended_ns ? roster->ended_ns : now_ns;
}

static bool has_ended(const struct roster *roster, const struct session *session)
{
    return roster->ended_ns && session_pid(session) == roster->pid;
}

static void tick_all(struct roster *roster, uint64_t now_ns)
{
    struct fault fault = {0};
    for (uint32_t i = 0; i < roster->session_count; i++) {
        if (!roster->sessions[i] || has_ended(roster, roster->sessions[i]))
            continue;
        session_ask_names(roster->sessions[i]);
        if (!session_is_due(roster->sessions[i], now_ns))
            continue;
        ring_reader_leave(roster->reader);
        struct cost cost = measure_cost(roster, i);
        session_set_cost(roster->sessions[i], &cost);
        count_thinned(roster, i);
        if (session_tick(roster->sessions[i], now_ns, &fault) < 0)
            say_text(roster->options.recorder->wish.say, "%s; recording goes on in memory",
                     fault.text);
        ring_reader_return(roster->reader);
    }
}

static void watch_all(struct roster *roster, uint64_t now_ns)
{
    for (uint32_t i = 0; i < roster->session_count; i++) {
        if (!roster->sessions[i] || !session_wants_look(roster->sessions[i], now_ns))
            continue;
        ring_reader_leave(roster->reader);
        session_look(roster->sessions[i], now_ns);
        ring_reader_return(roster->reader);
    }
}

void roster_note_rate(struct roster *roster, uint64_t now_ns)
{
    for (uint32_t i = 0; i < roster->session_count; i++)
        if (roster->sessions[i])
            session_note_rate(roster->sessions[i], now_ns);
}

void roster_note_all(struct roster *roster, const char *text)
{
    say_text(roster->options.recorder->wish.say, "%s", text);
    for (uint32_t i = 0; i < roster->session_count; i++)
        if (roster->sessions[i])
            session_note(roster->sessions[i], text);
}

bool roster_ask_pages(struct roster *roster)
{
    for (uint32_t i = 0; i < roster->session_count; i++)
        if (roster->sessions[i])
            session_ask_pages(roster->sessions[i]);
    return true;
}

/* As far as anybody tells; -1 while it runs, also as another program. */
static int status_of_child(const struct roster *roster, const struct session *session)
{
    int const pidfd = roster->pidfds[session_process(session)] - 1;
    return pidfd >= 0 && process_has_ended(pidfd)
               ? process_exit_status(pidfd, (pid_t)session_pid(session))
               : -1;
}

/* How the recording ends.  `end` has the time; `death` is room for its text. */
static void describe_end(struct roster *roster, struct session *session,
                         const struct recorder_result *result, struct session_end *end,
                         char death[128])
{
    bool const is_program = session_pid(session) == roster->pid;
    if (is_program && result) {
        end->end = END_OVER;
        end->exit_status = result->wait_status;
    } else if (!is_program) {
        end->exit_status = status_of_child(roster, session);
    }
    if (end->exit_status >= 0 && WIFSIGNALED(end->exit_status)) {
        bool const oom = WTERMSIG(end->exit_status) == SIGKILL && session_saw_oom_kill(session);
        death_describe(end->exit_status, oom, death, 128);
        end->death = death;
    }
}

/* Threads that ended, or stand still, before they could tell what they lost. */
static void tell_open_gaps(struct roster *roster, struct session *session, uint64_t now_ns)
{
    struct slot_gap gap;
    uint32_t slot = 0;
    while (slot_keeper_next_gap(roster->options.slots, session_process(session), &slot, &gap))
        session_gap(session, &(struct session_gap){
                                 .events = gap.events,
                                 .calls = gap.calls,
                                 .bytes = gap.bytes,
                                 .frees = gap.frees,
                                 .begin_ns = tick_clock_ns(roster->options.clock, gap.start_tsc),
                                 .end_ns = now_ns});
}

/* Closes the books of a session.  `result` is that of the program, if it has ended; `over`: nobody counts any more. */
static void end_books(struct roster *roster, struct session *session,
                      const struct recorder_result *result, bool over)
{
    const struct recording_wish *wish = &roster->options.recorder->wish;
    struct fault fault = {0};
    char death[128];
    uint32_t process = session_process(session);
    struct session_end end = {
        .now_ns = tick_clock_ns(roster->options.clock, roster->options.clock->anchor_tsc),
        .exit_status = -1,
        .end = process_is_over(roster->options.arena, process) ? END_OVER : END_RUNS_ON,
        .cost = measure_cost(roster, process)};
    if (has_ended(roster, session))
        end.now_ns = roster->ended_ns;
    if (over || session_is_thinned(session)) { /* only counts tell what was left out */
        end.lost_events = count_calls(roster, process, &end.counts);
        slot_keeper_pools(roster->options.slots, process, &end.pools);
        tell_open_gaps(roster, session, end.now_ns);
    }
    describe_end(roster, session, result, &end, death);
    note_allocators(roster, session);
    note_confinement(roster->options.arena, session, roster->options.clock,
                     wish->quiet ? NULL : wish->say);
    if (session_end(session, &end, &fault) < 0)
        say_text(roster->options.recorder->wish.say, "%s", fault.text);
    ring_reader_forget(roster->reader, session);
    roster->sessions[process] = NULL;
    close_pidfd(roster, process);
}

/* Writes the last of it. */
static void close_session(struct roster *roster, struct session *session)
{
    struct fault fault = {0};
    uint32_t place = session == roster->program ? 0 : ++roster->others;
    if (place < RECORDINGS_NAMED)
        roster->named[place] = strdup(session_path(session));
    roster->recordings++;
    if (session_close(session, &fault) == 0)
        return;
    say_text(roster->options.recorder->wish.say,
             "the recording is not whole: %s; see memoir report", fault.text);
    roster->unfinished++;
    if (place < RECORDINGS_NAMED) {
        free(roster->named[place]);
        roster->named[place] = NULL;
    }
}

/* Finds processes that are over.  The program itself is ended by whoever waits for it. */
static void find_over(struct roster *roster)
{
    struct arena *arena = roster->options.arena;
    uint32_t high = atomic_load(&arena->header->process_high);
    for (uint32_t i = 0; i < high && i < ARENA_PROCESSES; i++) {
        bool program = arena_process_at(arena->memory, i)->pid == roster->pid;
        if (program ? process_is_superseded(arena, i) : process_is_over(arena, i))
            (void)vec_push(&roster->over, i);
    }
    if (roster->over.count > 0)
        ring_reader_mark(roster->reader, &roster->marks);
    roster->crowded = high >= CROWDED;
}

static void end_over(struct roster *roster)
{
    vec_each (index, &roster->over) {
        struct session *session = roster->sessions[*index];
        if (session && !roster->options.recorder->follow_children)
            continue; /* it is all there is, until a later image has something */
        if (session) {
            end_books(roster, session, NULL, true);
            if (!vec_push(&roster->unnamed, session))
                close_session(roster, session);
        }
        roster->silent += !session && !process_is_superseded(roster->options.arena, *index);
        slot_keeper_release(roster->options.slots, *index);
        process_release(roster->options.arena, *index);
    }
    roster->over.count = 0;
}

/* Closes those that have all their names, or all of them if told to wait. */
static void close_named(struct roster *roster, bool wait)
{
    size_t kept = 0;
    for (size_t i = 0; i < roster->unnamed.count; i++) {
        struct session *session = roster->unnamed.items[i];
        if (session_name(session, wait))
            close_session(roster, session);
        else
            roster->unnamed.items[kept++] = session;
    }
    roster->unnamed.count = kept;
}

void roster_look(struct roster *roster, uint64_t now_ns)
{
    open_unasked(roster, now_ns);
    tick_all(roster, now_ns);
    watch_all(roster, now_ns);
    if (now_ns < roster->next_look_ns && !roster->crowded)
        return;
    roster->next_look_ns = now_ns + LOOK_NS;
    bool past = roster->over.count > 0 && ring_reader_is_past(roster->reader, &roster->marks);
    ring_reader_leave(roster->reader);
    if (roster->over.count == 0)
        find_over(roster);
    else if (past)
        end_over(roster);
    close_named(roster, false);
    ring_reader_return(roster->reader);
}

/* Processes that were followed and have no recording. */
static uint32_t count_silent(const struct roster *roster)
{
    struct arena *arena = roster->options.arena;
    uint32_t const high = atomic_load(&arena->header->process_high);
    uint32_t silent = roster->silent;
    for (uint32_t i = 0; i < high && i < ARENA_PROCESSES; i++)
        silent += !roster->sessions[i] && !process_is_superseded(arena, i) &&
                  atomic_load(&arena_process_at(arena->memory, i)->state) == PROCESS_RUNNING;
    return silent;
}

/* The session of the program, in its last image; NULL when it did nothing that is recorded. */
static struct session *find_program(const struct roster *roster)
{
    for (uint32_t i = 0; i < roster->session_count; i++) {
        struct session *session = roster->sessions[i];
        if (session && session_pid(session) == roster->pid && !has_later_image(roster, i))
            return session;
    }
    return NULL;
}

static struct session *find_any(const struct roster *roster)
{
    for (uint32_t i = 0; i < roster->session_count; i++)
        if (roster->sessions[i])
            return roster->sessions[i];
    return roster->unnamed.count > 0 ? roster->unnamed.items[0] : NULL;
}

void roster_end(struct roster *roster, struct recorder_result *result, enum subject_state how)
{
    bool const ended = how == SUBJECT_ENDED;
    const struct recorder_options *options = roster->options.recorder;
    uint32_t const silent = options->follow_children ? count_silent(roster) : 0;
    roster->program = find_program(roster);
    note_unrecorded(roster->options.arena, roster->program ? roster->program : find_any(roster),
                    options->wish.say);
    for (uint32_t i = 0; i < roster->session_count; i++) {
        struct session *session = roster->sessions[i];
        if (!session)
            continue;
        end_books(roster, session, ended || result->is_replaced ? result : NULL,
                  how != SUBJECT_CUT);
        if (session == roster->program && session_name(session, true) && ended &&
            WIFSIGNALED(result->wait_status) && roster->options.recorder->mourn)
            roster->options.recorder->mourn(session_recording(session), result->summary,
                                            sizeof(result->summary));
        if (session == roster->program && roster->options.recorder->judge)
            roster->options.recorder->judge(session_recording(session), result->doubt,
                                            sizeof(result->doubt));
        if (!vec_push(&roster->unnamed, session))
            close_session(roster, session);
    }
    close_named(roster, true);
    if (!roster->has_opened)
        roster_withdraw_output(roster);
    result->recordings = roster->recordings;
    result->unfinished = roster->unfinished + (roster->recordings == 0 && roster->told_failure);
    if (options->wish.quiet)
        return;
    say_recordings(&(struct recordings_said){.named = roster->named,
                                             .others = roster->others,
                                             .folder = roster->place.folder,
                                             .silent = roster->recordings > 0 ? silent : 0,
                                             .is_sampled = options->heap_rate != RATE_FULL},
                   options->wish.say);
}
