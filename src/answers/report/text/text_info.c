/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/clock.h"
#include "base/human.h"
#include "model/losses.h"
#include "report/text/doubt_text.h"
#include "report/rows/info.h"
#include "report/text/text_frame.h"
#include "report/text/text_line.h"

#define MODULES_SHOWN 40
#define THREADS_SHOWN 20
#define MARKS_SHOWN   20

struct text_info_page {
    const struct info *info;
    const struct text_style *style;
    FILE *out;
};

/* Buckets are about as long as the step of the ladder they are on; the first ones are cut where
 * something happened, so all that is clearly under a step counts as the step before. */
static unsigned step_of(uint64_t length_ns)
{
    static const uint64_t steps_s[] = {1, 10, 60, 600, 3600, 21600, 86400, 604800};
    unsigned step = 0;
    while (step < sizeof(steps_s) / sizeof(steps_s[0]) &&
           length_ns >= steps_s[step] * NS_PER_SECOND / 10 * 9)
        step++;
    return step;
}

size_t info_ladder(const struct recording *recording, struct rung rungs[RUNGS_MAX])
{
    size_t count = 0;
    unsigned step = 0;
    for (size_t i = 0; i < recording->buckets.count; i++) {
        const struct bucket *bucket = &recording->buckets.items[i];
        uint64_t const length = bucket->end_ns - bucket->begin_ns;
        bool const is_last = i + 1 == recording->buckets.count; /* cut short by the end */
        bool const goes_on = count && (step_of(length) == step || is_last);
        if (!goes_on && count < RUNGS_MAX) {
            step = step_of(length);
            rungs[count++] = (struct rung){.from_ns = bucket->begin_ns};
        }
        rungs[count - 1].to_ns = bucket->end_ns;
        rungs[count - 1].buckets++;
    }
    for (size_t i = 0; i < count; i++)
        rungs[i].bucket_ns = (rungs[i].to_ns - rungs[i].from_ns) / rungs[i].buckets;
    return count;
}

static void heading(const struct text_info_page *page, const char *text)
{
    text_ink(page->style, page->out, INK_STRONG);
    fprintf(page->out, "%s\n", text);
    text_ink(page->style, page->out, INK_PLAIN);
}

static void put(const struct text_info_page *page, const char *label, const struct text_line *line)
{
    text_paragraph(page->style, page->out, label, line->text);
}

static void put_name(const struct text_info_page *page, const char *label, const char *text)
{
    struct text_line line = {0};
    line_add_name(&line, text);
    put(page, label, &line);
}

static void put_file(const struct text_info_page *page)
{
    const struct recording *recording = page->info->recording;
    struct text_line line = {0};
    char bytes[HUMAN_MAX], duration[HUMAN_MAX];
    heading(page, "Recording");
    line_add_name(&line, page->info->path);
    line_add(&line, ", %s", human_bytes((int64_t)page->info->file_bytes, bytes));
    line_add_growing(&line, recording, page->info->now_unix_ns);
    put(page, "file", &line);
    line = (struct text_line){0};
    line_add_name(&line, recording_text(recording, recording->program));
    if (recording->pid)
        line_add(&line, ", pid %u", recording->pid);
    line_add(&line, ", %s long, by ", human_duration(recording->duration_ns, duration));
    line_add_name(&line, recording_text(recording, recording->source));
    put(page, "program", &line);
    if (recording->command_line)
        put_name(page, "command", recording_text(recording, recording->command_line));
    if (recording->host)
        put_name(page, "host", recording_text(recording, recording->host));
}

static void put_before(const struct text_info_page *page)
{
    const struct before *before = &page->info->recording->before;
    struct text_line line = {0};
    char rss[HUMAN_MAX], heap[HUMAN_MAX], other[HUMAN_MAX], borrowed[HUMAN_MAX], stopped[HUMAN_MAX];
    if (!before->attached)
        return;
    line_add(&line, "%s were resident then, %s of [heap] and %s of other memory without a file",
             human_bytes((int64_t)before->rss_bytes, rss),
             human_bytes((int64_t)before->heap_bytes, heap),
             human_bytes((int64_t)before->anonymous_bytes, other));
    put(page, "attached", &line);
    line = (struct text_line){0};
    line_add(&line, "one thread worked for memoir for %s, no other thread stood still",
             human_duration(before->borrowed_ns, borrowed));
    if (before->stopped_ns)
        line_add(&line, " for longer than %s", human_duration(before->stopped_ns, stopped));
    put(page, "", &line);
}

static void put_contents(const struct text_info_page *page)
{
    const struct recording *recording = page->info->recording;
    struct text_line line = {0};
    char stacks[HUMAN_MAX], frames[HUMAN_MAX], locations[HUMAN_MAX], strings[HUMAN_MAX];
    line_add(&line, "%s stacks of %s frames, %s source locations, %s names",
             human_count(stack_table_count(recording->stacks), stacks),
             human_count((int64_t)recording->frames.count, frames),
             human_count((int64_t)recording->locations.count, locations),
             human_count(string_table_count(recording->strings), strings));
    put(page, "stacks", &line);
}

static void put_ladder(const struct text_info_page *page)
{
    struct rung rungs[RUNGS_MAX];
    size_t const count = info_ladder(page->info->recording, rungs);
    for (size_t i = 0; i < count; i++) {
        struct text_line line = {0};
        char length[HUMAN_MAX], from[HUMAN_MAX], to[HUMAN_MAX];
        line_add(&line, "%zu of about %s, from %s to %s", rungs[i].buckets,
                 human_duration(rungs[i].bucket_ns, length), human_duration(rungs[i].from_ns, from),
                 human_duration(rungs[i].to_ns, to));
        put(page, i == 0 ? "buckets" : "", &line);
    }
}

static void put_pins(const struct text_info_page *page)
{
    static const char *const kinds[] = {[PIN_PEAK] = "peak",
                                        [PIN_DEATH] = "death",
                                        [PIN_MARK] = "mark",
                                        [PIN_END] = "end",
                                        [PIN_POOL_PEAK] = "peak of pools"};
    const struct recording *recording = page->info->recording;
    for (size_t i = 0; i < recording->pins.count; i++) {
        const struct pin *pin = &recording->pins.items[i];
        struct text_line line = {0};
        char when[HUMAN_MAX], cells[HUMAN_MAX];
        bool const is_known = pin->kind >= PIN_PEAK && pin->kind <= PIN_POOL_PEAK;
        line_add(&line, "%s at %s, %s cells", is_known ? kinds[pin->kind] : "?",
                 human_duration(pin->time_ns, when), human_count((int64_t)pin->cell_count, cells));
        if (pin->label) {
            line_add(&line, ": ");
            line_add_name(&line, recording_text(recording, pin->label));
        }
        put(page, i == 0 ? "pins" : "", &line);
    }
}

static void put_marks(const struct text_info_page *page)
{
    const struct recording *recording = page->info->recording;
    const struct mark_list *marks = &recording->marks;
    size_t shown = 0, all = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        if (mark->kind == MARK_END || all++ >= MARKS_SHOWN)
            continue;
        struct text_line line = {0};
        char when[HUMAN_MAX], lasted[HUMAN_MAX];
        struct mark_span const span = marks_span(marks, i, recording->duration_ns);
        line_add_name(&line, recording_text(recording, mark->label));
        line_add(&line, " at %s", human_duration(mark->time_ns, when));
        if (mark->kind == MARK_BEGIN)
            line_add(&line, ", a phase of %s%s", human_duration(span.to_ns - span.from_ns, lasted),
                     span.is_open ? ", not ended" : "");
        put(page, shown++ == 0 ? "marks" : "", &line);
    }
    if (all > MARKS_SHOWN)
        fprintf(page->out, "%*s%zu more, see --json\n", 2 + TEXT_LABEL_COLUMNS, "",
                all - MARKS_SHOWN);
    if (marks->left_out)
        fprintf(page->out, "%*s%" PRIu64 " further ones were left out while recording\n",
                2 + TEXT_LABEL_COLUMNS, "", marks->left_out);
}

static void put_modules(const struct text_info_page *page)
{
    const struct recording *recording = page->info->recording;
    size_t const count = recording->modules.count;
    for (size_t i = 0; i < count && i < MODULES_SHOWN; i++) {
        const struct module *module = &recording->modules.items[i];
        struct text_line line = {0};
        line_add_name(&line, recording_text(recording, module->path));
        if (module->build_id) {
            line_add(&line, " ");
            line_add_name(&line, recording_text(recording, module->build_id));
        } else {
            line_add(&line, " (no build-id)");
        }
        put(page, i == 0 ? "modules" : "", &line);
    }
    if (count > MODULES_SHOWN)
        fprintf(page->out, "%*s%zu more, see --json\n", 2 + TEXT_LABEL_COLUMNS, "",
                count - MODULES_SHOWN);
}

static void put_traits(const struct text_info_page *page)
{
    const struct recording *recording = page->info->recording;
    for (size_t i = 0; i < recording->traits.count; i++) {
        const struct trait *trait = &recording->traits.items[i];
        struct text_line line = {0};
        line_add(&line, "%s, ", trait_name(trait->kind));
        if (trait->in_executable)
            line_add(&line, "in the executable");
        else
            line_add_name(&line, recording_text(recording, trait->where));
        put(page, i == 0 ? "has" : "", &line);
    }
}

static void put_threads(const struct text_info_page *page)
{
    const struct recording *recording = page->info->recording;
    size_t const count = recording->threads.count;
    for (size_t i = 0; i < count && i < THREADS_SHOWN; i++) {
        const struct thread *thread = &recording->threads.items[i];
        struct text_line line = {0};
        char from[HUMAN_MAX], to[HUMAN_MAX];
        line_add(&line, "%u ", thread->tid);
        line_add_name(&line, recording_text(recording, thread->name));
        line_add(&line, ", from %s to %s", human_duration(thread->first_ns, from),
                 human_duration(thread->last_ns, to));
        if (thread->merged > 1)
            line_add(&line, ", %u threads in one row", thread->merged);
        put(page, i == 0 ? "threads" : "", &line);
    }
    if (count > THREADS_SHOWN)
        fprintf(page->out, "%*s%zu more, see --json\n", 2 + TEXT_LABEL_COLUMNS, "",
                count - THREADS_SHOWN);
}

static void put_count(const struct text_info_page *page, uint64_t count, uint64_t whole,
                      const char *what)
{
    char text[HUMAN_MAX], share[HUMAN_MAX];
    fprintf(page->out, "%14s  %10s  ", human_count((int64_t)count, text),
            whole ? human_share((int64_t)count, (int64_t)whole, share) : "");
    text_write(page->out, what, text_room(page->style, 28));
    putc('\n', page->out);
}

static void put_stack_ends(const struct text_info_page *page)
{
    static const char *const kinds[STACK_END_KINDS] = {
        [STACK_END_COMPLETE] = "reached _start, the thread entry or their equal",
        [STACK_END_NO_RULE] = "ended in code without unwind information",
        [STACK_END_BAD_FRAME] = "were led outside the stack by the unwind rules",
        [STACK_END_TOO_DEEP] = "too deep: the middle was left out",
        [STACK_END_TABLE_FULL] = "not kept because the table of stacks was full",
        [STACK_END_CUT] = "were longer than the part that was copied",
        [STACK_END_NOT_TAKEN] = ("not recorded: too many new stacks at once, or memory that cannot "
                                 "be read"),
    };
    const struct quality *quality = &page->info->recording->quality;
    heading(page, "Stacks, by how they ended");
    for (int i = 0; i < STACK_END_KINDS; i++)
        put_count(page, quality->stack_ends[i], page->info->findings.stack_ends, kinds[i]);
    put_count(page, quality->collapsed_stacks, page->info->findings.stack_ends,
              "had deep recursion folded");
}

/* Each source has its own way to stacks: a good one must not speak for the others. */
static void put_stack_sources(const struct text_info_page *page)
{
    const struct quality *quality = &page->info->recording->quality;
    char stacks[HUMAN_MAX];
    for (unsigned i = 0; i < STACK_SOURCES; i++) {
        const struct stack_share *share = &quality->sources[i];
        struct text_line line = {0};
        line_add(&line, "of the %s of %s complete", human_count((int64_t)share->stacks, stacks),
                 stack_source_name((enum stack_source)i));
        if (share->stacks)
            put_count(page, share->complete, share->stacks, line.text);
    }
}

static void put_events(const struct text_info_page *page)
{
    const struct quality *quality = &page->info->recording->quality;
    uint64_t const lost = losses_of_events(page->info->recording);
    uint64_t const whole = quality->events + lost;
    heading(page, "Events");
    put_count(page, quality->events, whole, "seen");
    put_count(page, lost, whole, "lost at a full ring");
    put_count(page, quality->lost_calls, whole,
              "of the lost are allocations: they are in the totals, but in no stack");
    put_count(page, quality->lost_frees, whole,
              "of the lost are frees: freed blocks may count as live");
    if (quality->thinned_calls)
        put_count(page, quality->thinned_calls, page->info->recording->heap.calls,
                  "of all allocations came too fast, and are estimated from samples");
    put_count(page, quality->implied_frees, whole,
              "frees that were lost, but implied by a new block at that address");
    put_count(page, quality->unknown_frees, whole,
              page->info->recording->before.attached ? "frees of blocks from before the recording"
                                                     : "frees of blocks never seen allocated");
    if (quality->sample_rate)
        put_count(page, quality->samples_dropped, whole,
                  "samples dropped because the buffer was "
                  "full");
}

static void put_doubts(const struct text_info_page *page)
{
    const struct plausibility *found = &page->info->findings.plausibility;
    if (found->count > 0)
        heading(page, "Doubts");
    for (size_t i = 0; i < found->count; i++) {
        struct text_line line = {0};
        doubt_render(page->info->recording, found, &found->doubts[i], &line);
        put(page, "doubt", &line);
    }
}

static void put_names(const struct text_info_page *page)
{
    static const char *const reasons[UNNAMED_REASONS] = {
        [UNNAMED_NO_MODULE] = "are in no file: code made at run time, or unloaded",
        [UNNAMED_NO_SYMBOLS] = "are in modules without any symbols",
        [UNNAMED_GAP] = "are between the symbols of their module",
    };
    const struct findings *findings = &page->info->findings;
    heading(page, "Frames without a name");
    put_count(page, findings->unnamed, findings->frames, "in all");
    for (int i = 0; i < UNNAMED_REASONS; i++)
        if (findings->unnamed_by_reason[i])
            put_count(page, findings->unnamed_by_reason[i], findings->frames, reasons[i]);
}

static void put_state(const struct text_info_page *page)
{
    const struct recording *recording = page->info->recording;
    const struct quality *quality = &recording->quality;
    char bytes[HUMAN_MAX];
    heading(page, "File");
    put_count(page, quality->damaged_chunks, 0, "damaged chunks skipped");
    put_count(page, quality->truncated_bytes, 0, "bytes cut off at the end");
    fprintf(page->out, "%14s  %10s  the recorder ended in order\n",
            quality->complete ? "yes" : "no", "");
    fprintf(page->out, "%14s  %10s  older buckets were merged to keep the size\n",
            quality->coarsened ? "yes" : "no", "");
    if (quality->lost_bytes)
        fprintf(page->out, "%14s  %10s  allocated by lost events\n",
                human_bytes((int64_t)quality->lost_bytes, bytes), "");
    for (size_t i = 0; i < recording->notes.count; i++)
        put_name(page, "note", recording_text(recording, recording->notes.items[i]));
}

void text_info_write(const struct info *info, const struct text_style *style, FILE *out)
{
    struct text_info_page const page = {info, style, out};
    put_file(&page);
    put_before(&page);
    put_contents(&page);
    put_ladder(&page);
    put_pins(&page);
    put_marks(&page);
    put_traits(&page);
    put_modules(&page);
    put_threads(&page);
    putc('\n', out);
    put_doubts(&page);
    put_events(&page);
    put_stack_ends(&page);
    put_stack_sources(&page);
    put_names(&page);
    put_state(&page);
}
