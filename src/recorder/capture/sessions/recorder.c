/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/recorder.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/human.h"
#include "capture/outputs/calm_stderr.h"
#include "capture/outputs/output_place.h"
#include "capture/sessions/cell_sources.h"
#include "capture/sessions/confinement.h"
#include "capture/sessions/control.h"
#include "capture/sessions/cpu_cells.h"
#include "capture/sessions/memory_bound.h"
#include "capture/sessions/own_limits.h"
#include "capture/rings/lifeline.h"
#include "capture/pages/page_cells.h"
#include "capture/sessions/recorder_subject.h"
#include "capture/rings/roster.h"
#include "machine/processor.h"
#include "store/write/write_behind.h"

/* How the recorder rests: so long that it finds rings filled a little, for to wake costs as much
 * as to read a hundred events; not at all when they were filled more. */
#define BUSY_PERCENT   25u
#define FILLED_PERCENT 8u
#define SHORT_REST_NS  300000l
#define LONG_REST_NS   20000000l
#define BEAT_NS        4000000l /* of the clock word, while it is kept fresh */
#define HIGH_RATE      200000u  /* words a second */
#define RATE_WINDOW_NS 20000000u
#define PRIORITY_NS    NS_PER_SECOND
#define LIFELINE_NS    (10 * NS_PER_SECOND)
#define LAST_READ_NS   30000000000u

_Static_assert(HEAP_FULL == RATE_FULL && HEAP_OFF == RATE_OFF, "one number, two rooms");

struct recorder_recorder {
    const struct recorder_options *options;
    const struct recorder_subject *subject;
    struct arena arena;
    struct tick_clock clock;
    struct ring_reader *reader;
    struct slot_keeper *keeper;
    struct symbol_queue *symbols;
    struct write_behind *disk; /* NULL: we wait for the disk ourselves */
    struct pss_reader *pss;    /* NULL: PSS is not read */
    struct output_place place; /* the roster's, once that is there */
    struct roster *roster;
    struct inside_planner *planner;
    struct control *control;
    struct page_station *station; /* NULL: nobody asked for pages */
    struct page_cells page_cells;
    struct cpu_station *cpu; /* NULL: nobody asked for time */
    struct cpu_cells cpu_cells;
    struct cell_sources cells;
    uint64_t rate_ns, rate_words; /* when the rate was last looked at, and the words read by then */
    bool beats;                   /* the clock word is kept fresh */
    long rest_ns;
    uint32_t pid; /* of the program */
    struct lifeline *lifeline;
    struct calm_stderr *calm;
    uint64_t priority_ns; /* when its priority is looked at next */
    struct memory_bound memory;
};

static void beat(struct recorder_recorder *recorder)
{
    if (recorder->beats)
        shared_set(recorder->arena.memory, clock, processor_ticks());
}

/* Until a ring that is half full wakes us. */
static void rest(struct recorder_recorder *recorder, unsigned fullest)
{
    struct shared_arena *arena = recorder->arena.memory;
    long rest_ns = fullest < FILLED_PERCENT ? 2 * recorder->rest_ns : recorder->rest_ns / 2;
    recorder->rest_ns = rest_ns < SHORT_REST_NS  ? SHORT_REST_NS
                        : rest_ns > LONG_REST_NS ? LONG_REST_NS
                                                 : rest_ns;
    if (fullest >= BUSY_PERCENT)
        return;
    shared_set(arena, sleeping, 1);
    for (long left = recorder->rest_ns, part; left > 0 && shared_get(arena, sleeping);
         left -= part) {
        part = recorder->beats && left > BEAT_NS ? BEAT_NS : left;
        struct timespec time = {0, part};
        if (shared_wait(arena, sleeping, 1, &time) == 0 || errno == EINTR)
            break;
        beat(recorder);
    }
    shared_set(arena, sleeping, 0);
}

/* Threads stamp their events themselves unless there are very many of them: then they look at
 * the clock word, which beats with every round. */
static void watch_rate(struct recorder_recorder *recorder, uint64_t now_ns)
{
    uint64_t words = ring_reader_words(recorder->reader);
    if (now_ns - recorder->rate_ns < RATE_WINDOW_NS)
        return;
    uint64_t per_second =
        (words - recorder->rate_words) * NS_PER_SECOND / (now_ns - recorder->rate_ns);
    recorder->rate_words = words;
    recorder->rate_ns = now_ns;
    if (recorder->beats && per_second <= HIGH_RATE)
        shared_set(recorder->arena.memory, clock, 0);
    recorder->beats = per_second > HIGH_RATE;
}

/* The program may change its own at any time. */
static void keep_priority(struct recorder_recorder *recorder, uint64_t now_ns)
{
    if (now_ns < recorder->priority_ns)
        return;
    recorder->priority_ns = now_ns + PRIORITY_NS;
    struct priority const priority = priority_above(recorder->pid);
    ring_reader_set_priority(recorder->reader, &priority);
}

/* Fewer allocations are traced before there is no room for them. */
static void keep_small(struct recorder_recorder *recorder, uint64_t now_ns)
{
    char most[HUMAN_MAX], bytes[HUMAN_MAX], text[256];
    uint64_t rate = shared_get(recorder->arena.memory, rate);
    if (!memory_bound_look(&recorder->memory, now_ns, &rate))
        return;
    shared_set(recorder->arena.memory, rate, rate);
    roster_note_rate(recorder->roster, now_ns);
    snprintf(text, sizeof(text),
             "the memory of the recorder comes near its bound of %s (--max-memory), so from here "
             "on allocations are sampled, one for every %s, and blocks from before are not "
             "followed any more",
             human_bytes(memory_bound_bytes(&recorder->memory), most), human_bytes(rate, bytes));
    roster_note_all(recorder->roster, text);
}

/* Reads until the subject says that it is over: how, or -errno with `fault`. */
static int read_until_end(struct recorder_recorder *recorder, struct recorder_result *result,
                          struct fault *fault)
{
    const struct recorder_subject *subject = recorder->subject;
    for (;;) {
        uint64_t stamp = tick_clock_anchor(&recorder->clock);
        uint64_t now = tick_clock_ns(&recorder->clock, stamp);
        bool enough = recording_wish_is_met(&recorder->options->wish, now) ||
                      shared_get(recorder->arena.memory, end_asked);
        int state = subject->look(subject->self, enough, result, fault);
        if (result->has_ended)
            roster_note_end(recorder->roster, now);
        if (state != SUBJECT_RUNS)
            return state;
        beat(recorder);
        keep_priority(recorder, now);
        keep_small(recorder, now);
        unsigned fullest = ring_reader_round(recorder->reader, &recorder->clock);
        watch_rate(recorder, now);
        roster_look(recorder->roster, now);
        if (recorder->station)
            page_station_leave_children(recorder->station);
        slot_keeper_look(recorder->keeper, now);
        control_look(recorder->control, now);
        if (!subject->has_news(subject->self))
            rest(recorder, fullest);
    }
}

/* What "heap RATE" asks for: a number, as in the arena. */
static bool set_rate(struct recorder_recorder *recorder, const char *text)
{
    char *end;
    uint64_t rate = strtoull(text, &end, 10);
    if (end == text || *end)
        return false;
    shared_set(recorder->arena.memory, rate, rate);
    roster_note_rate(recorder->roster,
                     tick_clock_ns(&recorder->clock, tick_clock_anchor(&recorder->clock)));
    return true;
}

/* "KIND TEXT", of a mark.  What is in the rings by now came before it. */
static bool set_mark(struct recorder_recorder *recorder, const char *text,
                     char answer[CONTROL_TEXT_MAX])
{
    int kind = text[0] - '0';
    if (kind < MARK_INSTANT || kind > MARK_END || text[1] != ' ' || !text[2])
        return false;
    ring_reader_round(recorder->reader, &recorder->clock);
    uint64_t now = tick_clock_ns(&recorder->clock, tick_clock_anchor(&recorder->clock));
    if (!roster_mark(recorder->roster, (enum mark_kind)kind, text + 2, now))
        snprintf(answer, CONTROL_TEXT_MAX, "%s",
                 kind == MARK_END ? "no phase of that name is open"
                                  : "no event is recorded yet, or there are too many marks "
                                    "already");
    return true;
}

/* "heap RATE", "mark KIND TEXT" and "look" are all that can be asked so far. */
static void on_request(void *context, const char *request, char answer[CONTROL_TEXT_MAX])
{
    struct recorder_recorder *recorder = context;
    bool understood = false;
    if (strncmp(request, "heap ", 5) == 0)
        understood = set_rate(recorder, request + 5);
    else if (strncmp(request, "mark ", 5) == 0)
        understood = set_mark(recorder, request + 5, answer);
    else if (strcmp(request, "look") == 0)
        understood = roster_ask_pages(recorder->roster);
    if (!understood)
        snprintf(answer, CONTROL_TEXT_MAX,
                 "the recorder does not understand this request; it has another version");
}

static void recorder_fini(struct recorder_recorder *recorder)
{
    control_close(recorder->control);
    ring_reader_destroy(recorder->reader);
    roster_destroy(recorder->roster);
    output_place_release(&recorder->place);
    page_station_close(recorder->station);
    page_cells_fini(&recorder->page_cells);
    cpu_station_close(recorder->cpu);
    cpu_cells_fini(&recorder->cpu_cells);
    slot_keeper_destroy(recorder->keeper);
    inside_planner_destroy(recorder->planner);
    symbol_queue_destroy(recorder->symbols);
    pss_reader_destroy(recorder->pss);
    write_behind_destroy(recorder->disk);
    arena_close(&recorder->arena);
    free(recorder);
}

static int open_pages(struct recorder_recorder *recorder, struct fault *fault)
{
    struct fault why = {.code = -EIO, .text = "pages cannot be recorded"};
    if (!recorder->options->pages)
        return 0;
    recorder->station = page_station_open(recorder->options->pages, &why);
    if (!recorder->station)
        return fault_set(fault, why.code, "%s", why.text);
    page_cells_init(&recorder->page_cells, recorder->station);
    cell_sources_add(&recorder->cells, &recorder->page_cells.source);
    return 0;
}

static int open_cpu(struct recorder_recorder *recorder, struct fault *fault)
{
    struct fault why = {.code = -EIO, .text = "CPU time cannot be recorded"};
    if (!recorder->options->cpu)
        return 0;
    struct cpu_station_options options = *recorder->options->cpu;
    options.leaves_room = recorder->options->pages != NULL;
    recorder->cpu = cpu_station_open(&options, &why);
    if (!recorder->cpu)
        return fault_set(fault, why.code, "%s", why.text);
    cpu_cells_init(&recorder->cpu_cells, recorder->cpu);
    cell_sources_add(&recorder->cells, &recorder->cpu_cells.source);
    return 0;
}

/* All that is needed besides the arena. */
static int furnish(struct recorder_recorder *recorder, struct fault *fault)
{
    cell_sources_init(&recorder->cells);
    int err = open_pages(recorder, fault);
    if (err == 0)
        err = open_cpu(recorder, fault);
    if (err < 0)
        return err;
    recorder->keeper = slot_keeper_create(&recorder->arena);
    recorder->symbols = symbol_queue_create(recorder->options->wish.say);
    recorder->disk = write_behind_create();
    recorder->pss = pss_reader_create();
    recorder->planner = inside_planner_create(&recorder->arena, recorder->options->allocator);
    recorder->roster = roster_create(&(struct roster_options){
        .recorder = recorder->options,
        .place = &recorder->place,
        .arena = &recorder->arena,
        .slots = recorder->keeper,
        .symbols = recorder->symbols,
        .disk = recorder->disk,
        .pss = recorder->pss,
        .cells = recorder->cells.count > 0 ? &recorder->cells.source : NULL,
        .clock = &recorder->clock,
        .memory = &recorder->memory});
    recorder->reader = ring_reader_create(&recorder->arena, roster_session, recorder->roster);
    if (!recorder->reader || !recorder->keeper || !recorder->symbols || !recorder->roster ||
        !recorder->planner)
        return fault_set(fault, -ENOMEM, "out of memory before the start%s", own_limits_hint());
    if (recorder->options->longest_wait_ns)
        ring_reader_never_wait(recorder->reader);
    return 0;
}

static void watch_time(struct recorder_recorder *recorder, uint32_t pid)
{
    struct fault why = {.text = ""};
    if (recorder->cpu && cpu_station_watch(recorder->cpu, pid, false, &why) < 0)
        say_text(recorder->options->wish.say, "CPU time is not recorded: %s", why.text);
}

static bool is_asked_to_end(void *context)
{
    const struct recorder_recorder *recorder = context;
    return shared_get(recorder->arena.memory, end_asked) != 0;
}

static void let_program_go(void *context)
{
    const struct recorder_recorder *recorder = context;
    shared_set(recorder->arena.memory, off, 1);
}

static void tie_lifeline(struct recorder_recorder *recorder)
{
    struct lifeline_options const options = {.patience_ns = LIFELINE_NS,
                                             .all_ns = LAST_READ_NS,
                                             .signs = ring_reader_rounds(recorder->reader),
                                             .progress = ring_reader_progress(recorder->reader),
                                             .is_asked = is_asked_to_end,
                                             .let_go = let_program_go,
                                             .context = recorder};
    recorder->lifeline = lifeline_tie(&options);
}

static int start(struct recorder_recorder *recorder, struct fault *fault)
{
    const struct recorder_subject *subject = recorder->subject;
    bool const runs_already = recorder->options->attached != NULL;
    int err =
        recorder->station && !runs_already ? page_station_watch_next(recorder->station, fault) : 0;
    int pid = err < 0 ? err : subject->start(subject->self, &recorder->arena, fault);
    if (pid < 0)
        return pid;
    if (recorder->station && (runs_already || page_station_uses_perf(recorder->station))) {
        struct fault why;
        if (page_station_watch(recorder->station, (uint32_t)pid, false, &why) < 0)
            say_text(recorder->options->wish.say, "pages are not recorded: %s", why.text);
    }
    recorder->calm = calm_stderr_begin();
    tie_lifeline(recorder);
    watch_time(recorder, (uint32_t)pid);
    if (recorder->options->wish.began)
        recorder->options->wish.began(recorder->options->wish.context,
                                      recorder->options->wish.quiet, (uint32_t)pid);
    recorder->pid = (uint32_t)pid;
    inside_planner_begin(recorder->planner);
    recorder->control = control_open(pid, on_request, recorder);
    if (!recorder->control)
        say_text(
            recorder->options->wish.say,
            "this recording cannot be asked anything (memoir mark, set and explain): no socket "
            "can be made");
    roster_begin(recorder->roster, recorder->reader, recorder->planner, (uint32_t)pid);
    return 0;
}

static void end(struct recorder_recorder *recorder, enum subject_state how,
                struct recorder_result *result)
{
    shared_set(recorder->arena.memory, off, 1);
    lifeline_end_is_due();
    if (!ring_reader_drain(recorder->reader, &recorder->clock))
        roster_note_all(
            recorder->roster,
            "the last events of the program are not in the recording: reading them after its end "
            "took too long, or was interrupted");
    tick_clock_anchor(&recorder->clock);
    lifeline_let_end();
    roster_end(recorder->roster, result, how);
}

/* From here on without rights: the program waits for its start, and keepers do what takes them. */
static int confine(struct recorder_recorder *recorder, struct fault *fault)
{
    const struct recorder_subject *subject = recorder->subject;
    int const err = confinement_prepare(&recorder->arena, &recorder->place,
                                        recorder->options->wish.output, fault);
    if (err < 0)
        return err;
    pid_t const pid = subject->hold(subject->self, &recorder->arena, fault);
    if (pid < 0)
        return pid;
    if (recorder->options->wish.prepare)
        recorder->options->wish.prepare(recorder->options->wish.context,
                                        recorder->options->wish.quiet, (uint32_t)pid);
    return confinement_enter(pid, !recorder->options->attached, fault);
}

int recorder_record(const struct recorder_options *options, const struct recorder_subject *subject,
                    struct recorder_result *result, struct fault *fault)
{
    struct recorder_recorder *recorder = calloc(1, sizeof(*recorder));
    if (!recorder)
        return fault_set(fault, -ENOMEM, "out of memory before the start");
    memset(result, 0, sizeof(*result));
    recorder->options = options;
    recorder->subject = subject;
    memory_bound_init(&recorder->memory, options->max_memory_bytes);
    recorder->arena.fd = -1;
    output_place_init(&recorder->place);
    own_limits_lift();
    tick_clock_start(&recorder->clock);
    int err = own_limits_lift_stack(fault);
    if (err == 0)
        err = arena_open(&recorder->arena, options->follow_children, fault);
    if (err == 0) {
        shared_set(recorder->arena.memory, rate, options->heap_rate);
        shared_set(recorder->arena.memory, longest_wait_ns, options->longest_wait_ns);
        err = output_place_claim(&recorder->place, &options->wish, fault);
    }
    if (err == 0 && subject->hold && confinement_is_due(options))
        err = confine(recorder, fault);
    if (err == 0)
        err = furnish(recorder, fault);
    if (err == 0) {
        err = start(recorder, fault);
        if (err == 0)
            err = read_until_end(recorder, result, fault);
        if (err >= 0)
            end(recorder, (enum subject_state)err, result);
    }
    if (err < 0)
        output_place_withdraw(&recorder->place, &options->wish);
    symbol_queue_destroy(recorder->symbols); /* which may take long: a signal must still end us */
    recorder->symbols = NULL;
    lifeline_untie(recorder->lifeline);
    calm_stderr_end(recorder->calm);
    recorder_fini(recorder);
    if (err < 0)
        return err;
    subject->finish(subject->self, (enum subject_state)err, result);
    return 0;
}
