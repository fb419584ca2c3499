/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/programs/launch.h"
#include "capture/rings/roster_parts.h"
#include "capture/sessions/process_keeper.h"
#include "capture/sessions/recorder_cost.h"
#include "procfs/process/process_facts.h"

#define LOOK_NS 100000000ull

bool roster_has_later_image(const struct roster *roster, uint32_t process)
{
    struct shared_arena *memory = roster->options.arena->memory;
    struct shared_process *earlier = shared_process_at(memory, process);
    uint32_t const pid = shared_get(earlier, pid), serial = shared_get(earlier, serial);
    for (uint32_t i = 0; i < roster->session_count; i++) {
        struct shared_process *later = shared_process_at(memory, i);
        if (roster->sessions[i] && shared_get(later, pid) == pid &&
            (int32_t)(shared_get(later, serial) - serial) > 0)
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
        session_list_abandon(&roster->list, roster->sessions[i]);
        roster->sessions[i] = NULL;
        roster->has_opened = false;
    }
}

void roster_note_allocators(struct roster *roster, struct session *session)
{
    struct inside_note note;
    uint32_t const serial = shared_get(
        shared_process_at(roster->options.arena->memory, session_process(session)), serial);
    while (inside_planner_next_note(roster->planner, serial, &note)) {
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
    struct shared_process *entry = shared_process_at(roster->options.arena->memory, process);
    const struct recorder_attached *attached = roster->options.recorder->attached;
    uint32_t const pid = shared_get(entry, pid);
    return pid == roster->pid || (attached && pid == 0 && !shared_get(entry, forked) &&
                                  shared_get(entry, local_pid) == attached->local_pid);
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
                                        .program_pid = roster->pid,
                                        .look_every_ns = wanted->look_every_ns,
                                        .watcher = wanted->watcher,
                                        .memory = roster->options.memory,
                                        .attached = first ? wanted->attached : NULL};
    struct session_options const options = {
        .output = first ? wanted->wish.output : NULL,
        .folder = roster->options.place->folder,
        .claim = first && wanted->wish.output ? &roster->options.place->claim : NULL,
        .made_output = first && roster->options.place->is_new,
        .age_ns = age_of(roster, process, now_ns),
        .command_line = roster->command_line,
        .rings = &rings};
    return session_list_open(&roster->list, &options, now_ns - options.age_ns, fault);
}

/* How it ends, which its number alone would tell of any process. */
static bool may_ask(const struct session *session)
{
    return session_is_proved(session) || !process_runs(session_pid(session));
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
               : !program || roster_has_later_image(roster, process))
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
            say_text(roster->options.recorder->wish.say,
                     "%s; the program goes on without being "
                     "recorded",
                     fault.text);
        roster->told_failure = true;
        return NULL;
    }
    roster->has_opened |= first;
    roster->sessions[process] = session;
    if (!program && !roster->pidfds[process] && may_ask(session))
        roster->pidfds[process] = (int)syscall(SYS_pidfd_open, session_pid(session), 0) + 1;
    roster_note_allocators(roster, session);
    if (process >= roster->session_count)
        roster->session_count = process + 1;
    return session;
}

/* Whether the recording begins without anything that the program does: what it had before is
 * worth a look where it ran already, and it may be at rest for hours; and what is seen from
 * outside does not wait for its first block. */
static bool begins_unasked(const struct recorder_options *options)
{
    return options->attached ? options->attached->is_in : options->cpu || options->pages;
}

static void open_unasked(struct roster *roster, uint64_t now_ns)
{
    struct arena *arena = roster->options.arena;
    if (roster->has_opened || !begins_unasked(roster->options.recorder))
        return;
    uint32_t const high = arena_process_high(arena);
    for (uint32_t i = 0; i < high && !roster->has_opened; i++)
        if (shared_get(shared_process_at(arena->memory, i), state) == PROCESS_RUNNING &&
            is_program(roster, i))
            (void)roster_session(roster, i, now_ns);
}

bool roster_mark(struct roster *roster, enum mark_kind kind, const char *text, uint64_t now_ns)
{
    bool marked = false;
    vec_each (session, &roster->list.open) {
        const struct mark_list *marks = &session_recording(*session)->marks;
        size_t const before = marks->last_number;
        session_told_mark(*session, kind, slice_of(text), session_time(*session, now_ns));
        marked |= marks->last_number != before;
    }
    return marked;
}

struct cost roster_measure_cost(struct roster *roster, uint32_t process)
{
    struct cost cost = {0};
    slot_keeper_cost(roster->options.slots, process, roster->options.clock->ns_per_tick, &cost);
    recorder_cost_measure(&cost);
    return cost;
}

uint64_t roster_count_calls(struct roster *roster, uint32_t process, struct session_counts *counts)
{
    slot_keeper_thinned(roster->options.slots, process, &counts->thinned_calls,
                        &counts->thinned_bytes);
    return slot_keeper_totals(roster->options.slots, process, &counts->exact);
}

static void count_thinned(struct roster *roster, struct session *session)
{
    struct session_counts counts = {0};
    if (!session_is_thinned(session))
        return;
    roster_count_calls(roster, session_process(session), &counts);
    session_count(session, &counts);
}

static bool is_still(void *self, const struct session *session)
{
    const struct roster *roster = self;
    return roster_program_is_over(roster, session) ||
           roster->child_ended_ns[session_process(session)] != 0;
}

static void begin_write(void *self, struct session *session)
{
    struct roster *roster = self;
    ring_reader_leave(roster->reader);
    struct cost cost = roster_measure_cost(roster, session_process(session));
    session_set_cost(session, &cost);
    count_thinned(roster, session);
}

static void end_write(void *self)
{
    ring_reader_return(((struct roster *)self)->reader);
}

/* What a roster adds to a list of sessions. */
static const struct session_feed feed = {.begin_write = begin_write,
                                         .end_write = end_write,
                                         .is_still = is_still,
                                         .close = roster_close_session};

struct roster *roster_create(const struct roster_options *options)
{
    struct roster *roster = calloc(1, sizeof(*roster));
    if (!roster)
        return NULL;
    roster->options = *options;
    roster->list = (struct session_list){.wish = &options->recorder->wish,
                                         .source = options->recorder->attached ? "memoir attach"
                                                                               : "memoir run",
                                         .symbols = options->symbols,
                                         .disk = options->disk,
                                         .pss = options->pss,
                                         .cells = options->cells,
                                         .feed = &feed,
                                         .feeder = roster};
    return roster;
}

void roster_destroy(struct roster *roster)
{
    if (!roster)
        return;
    for (unsigned i = 0; i < RECORDINGS_NAMED; i++)
        free(roster->named[i]);
    for (uint32_t i = 0; i < ARENA_PROCESSES; i++)
        roster_forget_child(roster, i);
    vec_free(&roster->over);
    session_list_fini(&roster->list);
    free(roster);
}

void roster_begin(struct roster *roster, struct ring_reader *reader, struct inside_planner *planner,
                  uint32_t pid)
{
    roster->reader = reader;
    roster->planner = planner;
    roster->pid = pid;
}

static void watch_all(struct roster *roster, uint64_t now_ns)
{
    vec_each (session, &roster->list.open) {
        if (!session_wants_look(*session, now_ns))
            continue;
        ring_reader_leave(roster->reader);
        session_look(*session, now_ns);
        ring_reader_return(roster->reader);
    }
}

void roster_note_rate(struct roster *roster, uint64_t now_ns)
{
    vec_each (session, &roster->list.open)
        session_note_rate(*session, now_ns);
}

void roster_note_all(struct roster *roster, const char *text)
{
    session_list_note(&roster->list, text);
}

bool roster_ask_pages(struct roster *roster)
{
    vec_each (session, &roster->list.open)
        session_ask_pages(*session);
    return true;
}

void roster_look(struct roster *roster, uint64_t now_ns)
{
    open_unasked(roster, now_ns);
    roster_watch_children(roster, now_ns);
    session_list_tick(&roster->list, now_ns);
    watch_all(roster, now_ns);
    if (now_ns < roster->next_look_ns && !roster->crowded)
        return;
    roster->next_look_ns = now_ns + LOOK_NS;
    roster_end_over(roster);
}
