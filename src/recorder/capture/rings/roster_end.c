/* SPDX-License-Identifier: Apache-2.0 */
/* roster_end.c - ends the sessions of a roster: which processes have ended, what their recordings
 * say about that, and which files there are in the end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "capture/outputs/run_notes.h"
#include "capture/programs/death_note.h"
#include "capture/rings/roster_parts.h"
#include "capture/sessions/process_keeper.h"
#include "inject/choice/exit_status.h"
#include "procfs/process/process_facts.h"

#define CROWDED (ARENA_PROCESSES / 4) /* from so many processes on it looks all the time */

void roster_note_end(struct roster *roster, uint64_t now_ns)
{
    roster->ended_ns = roster->ended_ns ? roster->ended_ns : now_ns;
}

bool roster_program_is_over(const struct roster *roster, const struct session *session)
{
    return roster->ended_ns && session_pid(session) == roster->pid;
}

/* As far as anybody tells; -1 while it runs, also as another program. */
static int status_of_child(const struct roster *roster, const struct session *session)
{
    int const pidfd = roster->pidfds[session_process(session)] - 1;
    return pidfd >= 0 && process_has_ended(pidfd)
               ? process_exit_status(pidfd, (pid_t)session_pid(session))
               : -1;
}

/* The program that this process became by exec, as it says itself; "" when none does. */
static void find_next_image(const struct roster *roster, const struct session *session,
                            struct arena_process *to)
{
    struct arena *arena = roster->options.arena;
    uint32_t const next = process_next_image(arena, session_process(session));
    *to = (struct arena_process){.path = ""};
    if (next != PROCESS_NONE)
        shared_copy_process(to, shared_process_at(arena->memory, next));
    if (to->forked) /* another process, which has its number now */
        to->path[0] = '\0';
}

/* Whether it became another program, which the recording then says: it ends there, whatever becomes
 * of that program. */
static bool end_at_exec(const struct roster *roster, struct session *session, bool is_replaced,
                        struct session_end *end)
{
    struct arena_process image;
    char text[sizeof(image.path) + 100];
    find_next_image(roster, session, &image);
    if (!image.path[0] && !is_replaced && !session_was_replaced(session))
        return false;
    const char *const slash = strrchr(image.path, '/');
    uint64_t const exec_ns = tick_clock_ns(roster->options.clock, image.start_tsc);
    if (image.path[0] && exec_ns < end->now_ns)
        end->now_ns = exec_ns;
    snprintf(text, sizeof(text),
             "the process became %s by exec: this recording is about what it was before, and ends "
             "there",
             slash           ? slash + 1
             : image.path[0] ? image.path
                             : "another program");
    session_note(session, text);
    end->end = END_REPLACED;
    return true;
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

/* Closes the books of a session.  `result` is that of the program, if it has ended or become
 * another; `over`: nobody counts any more. */
static void end_books(struct roster *roster, struct session *session,
                      const struct recorder_result *result, bool over)
{
    const struct recording_wish *wish = &roster->options.recorder->wish;
    char death[128];
    uint32_t process = session_process(session);
    struct session_end end = {
        .now_ns = tick_clock_ns(roster->options.clock, roster->options.clock->anchor_tsc),
        .exit_status = -1,
        .end = process_is_over(roster->options.arena, process) ? END_OVER : END_RUNS_ON,
        .cost = roster_measure_cost(roster, process)};
    if (roster_program_is_over(roster, session))
        end.now_ns = roster->ended_ns;
    else if (roster->child_ended_ns[process])
        end.now_ns = roster->child_ended_ns[process];
    if (over || session_is_thinned(session)) { /* only counts tell what was left out */
        end.lost_events = roster_count_calls(roster, process, &end.counts);
        slot_keeper_pools(roster->options.slots, process, &end.pools);
        tell_open_gaps(roster, session, end.now_ns);
    }
    bool const is_replaced = result && result->is_replaced && session_pid(session) == roster->pid;
    if (!end_at_exec(roster, session, is_replaced, &end))
        describe_end(roster, session, result, &end, death);
    roster_note_allocators(roster, session);
    note_confinement(roster->options.arena, session, roster->options.clock,
                     wish->quiet ? NULL : wish->say);
    ring_reader_forget(roster->reader, session);
    session_list_end(&roster->list, session, &end);
    roster->sessions[process] = NULL;
}

void roster_close_session(void *self, struct session *session)
{
    struct roster *roster = self;
    struct fault fault = {0};
    uint32_t place = session == roster->program ? 0 : ++roster->others;
    if (place < RECORDINGS_NAMED)
        roster->named[place] = strdup(session_path(session));
    roster->recordings++;
    int const err = session_close(session, &fault);
    if (err == 0)
        return;
    say_text(roster->options.recorder->wish.say,
             err == -ESTALE ? "%s" : "the recording is incomplete: %s; see memoir report",
             fault.text);
    roster->unfinished++;
    if (place < RECORDINGS_NAMED) {
        free(roster->named[place]);
        roster->named[place] = NULL;
    }
}

static void push_over(struct roster *roster, uint32_t index)
{
    struct shared_process *entry = shared_process_at(roster->options.arena->memory, index);
    struct over_process const over = {index, shared_get(entry, serial)};
    (void)vec_push(&roster->over, over);
}

/* Finds processes that are over.  The program itself is ended by whoever waits for it. */
static void find_over(struct roster *roster)
{
    struct arena *arena = roster->options.arena;
    uint32_t const high = arena_process_high(arena);
    for (uint32_t i = 0; i < high; i++) {
        bool const program = shared_get(shared_process_at(arena->memory, i), pid) == roster->pid;
        if (program ? process_is_superseded(arena, i) : process_is_over(arena, i))
            push_over(roster, i);
    }
    if (roster->over.count > 0)
        ring_reader_mark(roster->reader, &roster->marks);
    roster->crowded = high >= CROWDED;
}

static int by_age(const void *a, const void *b)
{
    const struct over_process *one = a, *other = b;
    int32_t const later = (int32_t)(one->serial - other->serial);
    return (later > 0) - (later < 0);
}

/* The entry of a later image says what an earlier one became. */
static void end_over(struct roster *roster)
{
    qsort(roster->over.items, roster->over.count, sizeof(roster->over.items[0]), by_age);
    vec_each (over, &roster->over) {
        uint32_t const index = over->index;
        struct session *session = roster->sessions[index];
        if (session && !roster->options.recorder->follow_children)
            continue; /* it is all there is, until a later image has something */
        if (session)
            end_books(roster, session, NULL, true);
        roster->silent += !session && !process_is_superseded(roster->options.arena, index);
        roster_forget_child(roster, index);
        slot_keeper_release(roster->options.slots, index);
        process_release(roster->options.arena, index);
    }
    roster->over.count = 0;
}

void roster_end_over(struct roster *roster)
{
    bool past = roster->over.count > 0 && ring_reader_is_past(roster->reader, &roster->marks);
    ring_reader_leave(roster->reader);
    if (roster->over.count == 0)
        find_over(roster);
    else if (past)
        end_over(roster);
    session_list_close(&roster->list, false);
    ring_reader_return(roster->reader);
}

/* Processes that were followed and have no recording. */
static uint32_t count_silent(const struct roster *roster)
{
    struct arena *arena = roster->options.arena;
    uint32_t const high = arena_process_high(arena);
    uint32_t silent = roster->silent;
    for (uint32_t i = 0; i < high; i++)
        silent += !roster->sessions[i] && !process_is_superseded(arena, i) &&
                  shared_get(shared_process_at(arena->memory, i), state) == PROCESS_RUNNING;
    return silent;
}

/* The session of the program, in its last image; NULL when it did nothing that is recorded. */
static struct session *find_program(const struct roster *roster)
{
    for (uint32_t i = 0; i < roster->session_count; i++) {
        struct session *session = roster->sessions[i];
        if (session && session_pid(session) == roster->pid && !roster_has_later_image(roster, i))
            return session;
    }
    return NULL;
}

static struct session *find_any(const struct roster *roster)
{
    for (uint32_t i = 0; i < roster->session_count; i++)
        if (roster->sessions[i])
            return roster->sessions[i];
    return roster->list.unnamed.count > 0 ? roster->list.unnamed.items[0] : NULL;
}

void roster_end(struct roster *roster, struct recorder_result *result, enum subject_state how)
{
    bool const ended = how == SUBJECT_ENDED;
    const struct recorder_options *options = roster->options.recorder;
    uint32_t const silent = options->follow_children ? count_silent(roster) : 0;
    roster->program = find_program(roster);
    struct session *const told = roster->program ? roster->program : find_any(roster);
    note_unrecorded(roster->options.arena, told, options->wish.say);
    note_children(roster->options.arena, told, options->wish.quiet ? NULL : options->wish.say);
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
    }
    session_list_close(&roster->list, true);
    if (!roster->has_opened)
        output_place_withdraw(roster->options.place, &options->wish);
    result->recordings = roster->recordings;
    result->unfinished = roster->unfinished + (roster->recordings == 0 && roster->told_failure);
    if (options->wish.quiet)
        return;
    say_recordings(&(struct recordings_said){.named = roster->named,
                                             .others = roster->others,
                                             .folder = roster->options.place->folder,
                                             .silent = roster->recordings > 0 ? silent : 0,
                                             .is_sampled = options->heap_rate != RATE_FULL},
                   options->wish.say);
}
