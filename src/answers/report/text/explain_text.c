/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/sites/rank.h"
#include "base/human.h"
#include "base/invariant.h"
#include "model/losses.h"
#include "report/rows/explain_report.h"
#include "report/text/text_frame.h"
#include "report/text/text_line.h"

static const char *const advice_labels[ADVICE_KINDS] = {
    [ADVICE_TRIM] = "free pages", [ADVICE_ARENAS] = "arenas",       [ADVICE_FRAGMENTED] = "pinned",
    [ADVICE_STACKS] = "stacks",   [ADVICE_GROWING] = "growing",     [ADVICE_EARLIER] = "before",
    [ADVICE_BLOCKS] = "blocks",   [ADVICE_UNTOUCHED] = "untouched", [ADVICE_RESERVED] = "reserved",
};

#define NAME_COLUMNS   14
#define NUMBER_COLUMNS 34
#define CALLERS_MAX    3u

struct explain_page {
    const struct explain_report *report;
    const struct text_style *style;
    FILE *out;
};

static void put_line(const struct explain_page *page, const char *label,
                     const struct text_line *line)
{
    text_paragraph(page->style, page->out, label, line->text);
}

static void put_head(const struct explain_page *page)
{
    struct recording *recording = page->report->recording;
    const struct explanation *explanation = page->report->explanation;
    const struct residency *residency = &explanation->residency;
    struct text_line line = {0};
    char bytes[HUMAN_MAX], time[HUMAN_MAX], took[HUMAN_MAX];
    line_add_name(&line, recording_text(recording, recording->program));
    if (recording->pid)
        line_add(&line, " (pid %u)", recording->pid);
    line_add_growing(&line, recording, page->report->now_unix_ns);
    put_line(page, "program", &line);

    line = (struct text_line){0};
    line_add(&line, "%s resident", human_bytes((int64_t)explanation->total, bytes));
    if (recording->quality.events) /* or it was looked at from outside, now */
        line_add(&line, " at %s", human_duration(explanation->at_ns, time));
    line_add(&line, explanation->is_of_pages ? ", every page by the code that touched it first"
                                             : ", every byte by its owner below");
    put_line(page, "resident", &line);
    if (residency->looks == 0 || explanation->at_ns < residency->time_ns)
        return; /* what follows is of the last look, and this is an earlier one */
    line = (struct text_line){0};
    line_add(&line, "the kernel counted %s before the walk over its pages",
             human_bytes((int64_t)residency->rss_before_bytes, bytes));
    line_add(&line, " and %s after it; ", human_bytes((int64_t)residency->rss_after_bytes, bytes));
    line_add(&line, "changed during capture: %s; ",
             human_bytes((int64_t)(explanation->total - residency->rss_before_bytes), bytes));
    line_add(&line, "snapshot %llu took %s", (unsigned long long)residency->looks,
             human_duration(residency->took_ns, took));
    put_line(page, "kernel", &line);
}

/* What else the process has, besides resident pages. */
static void put_beside(const struct explain_page *page)
{
    const struct weights *pages = page->report->explanation->pages;
    char swap[HUMAN_MAX], cache[HUMAN_MAX], kernel[HUMAN_MAX];
    struct text_line line = {0};
    if (!page->report->explanation->is_of_pages ||
        (pages[PAGE_SWAP].total_value == 0 && pages[PAGE_CACHE].total_value == 0 &&
         pages[PAGE_KERNEL].total_value == 0))
        return;
    line_add(&line,
             "not part of the resident memory: %s in swap, %s of page cache that the process "
             "filled, %s in the kernel (memoir report --metric pages.swap, pages.cache, "
             "pages.kernel)",
             human_bytes(pages[PAGE_SWAP].total_value, swap),
             human_bytes(pages[PAGE_CACHE].total_value, cache),
             human_bytes(pages[PAGE_KERNEL].total_value, kernel));
    put_line(page, "besides", &line);
}

/* What makes the parts of the heap doubtful. */
static void put_doubts(const struct explain_page *page)
{
    const struct quality *quality = &page->report->recording->quality;
    char lost[HUMAN_MAX], all[HUMAN_MAX];
    struct text_line line = {0};
    if (quality->lost_events && page->report->explanation->is_of_pages) {
        line_add(&line, "%s events were lost: pages touched meanwhile are under a name in brackets",
                 human_count((int64_t)quality->lost_events, lost));
        put_line(page, "mind", &line);
    } else if (quality->lost_events) {
        line_add(&line,
                 "%s of %s events were lost: the memory of a block whose allocation was lost "
                 "counts as held or free, the memory of a block whose free was lost counts as live",
                 human_count((int64_t)quality->lost_events, lost),
                 human_count((int64_t)(quality->events + quality->lost_events), all));
        put_line(page, "mind", &line);
    }
    line = (struct text_line){0};
    if (quality->off_ns) {
        line_add(&line, "the heap was not always traced (--heap off): memory in no known block or "
                        "mapping is listed under before");
        put_line(page, "mind", &line);
    }
    line = (struct text_line){0};
    if (recording_was_cut(page->report->recording)) {
        line_add(&line,
                 "the recording goes until %s: the recorder was killed, or the file was cut off "
                 "there",
                 human_duration(page->report->recording->duration_ns, lost));
        put_line(page, "mind", &line);
    }
}

/* Of a process that was only looked at from outside, or sampled. */
static void put_notes(const struct explain_page *page)
{
    struct recording *recording = page->report->recording;
    if (recording->quality.sample_rate) {
        struct text_line line = {0};
        char rate[HUMAN_MAX], error[HUMAN_MAX];
        int64_t const live = page->report->explanation->owners[OWNER_LIVE].total_value;
        line_add(&line,
                 "one block in %s was sampled, so live bytes are estimates (within ±%s in all), "
                 "and held and free bytes are one number",
                 human_bytes((int64_t)recording->quality.sample_rate, rate),
                 human_bytes((int64_t)sampled_error_of_live(recording, live), error));
        put_line(page, "sampled", &line);
    }
    if (recording->quality.events)
        return; /* they are about the recording, and memoir info has them */
    vec_each (note, &recording->notes) {
        struct text_line line = {0};
        line_add_name(&line, recording_text(recording, *note));
        put_line(page, "mind", &line);
    }
}

static void put_callers(const struct explain_page *page, const struct rank *rank, uint32_t node,
                        size_t columns)
{
    const struct call_node *nodes = rank->tree.nodes.items;
    struct recording *recording = page->report->recording;
    struct text_line line = {0};
    unsigned shown = 0;
    for (node = nodes[node].parent; node && shown < CALLERS_MAX;
         node = nodes[node].parent, shown++) {
        const char *name = recording_text(recording, nodes[node].function);
        if (text_frame_is_startup(name))
            break;
        line_add(&line, " < ");
        line_add_name(&line, name);
    }
    text_write(page->out, line.text, columns);
}

static void put_row(const struct explain_page *page, const struct rank *rank,
                    const struct rank_row *row)
{
    struct recording *recording = page->report->recording;
    char value[HUMAN_MAX], share[HUMAN_MAX];
    struct shown_frame const frame = {row->function, row->module, row->file, row->line,
                                      row->inlined};
    size_t const room = text_room(page->style, NUMBER_COLUMNS);
    fprintf(page->out, "  %*s%10s  %8s  ", NAME_COLUMNS, "", human_bytes(row->self_value, value),
            human_share(row->self_value, (int64_t)page->report->explanation->total, share));
    text_frame_write(page->style, page->out, recording, &frame, room);
    if (page->style->width == 0)
        put_callers(page, rank, row->node, SIZE_MAX);
    putc('\n', page->out);
}

bool explain_row_is_shown(const struct explain_report *report, const struct rank_row *row,
                          uint64_t *shown)
{
    bool const is_shown =
        *shown < report->top ||
        (report->explanation->is_of_pages && explain_is_unseen(report->recording, row->function));
    if (row->self_value == 0 || !is_shown)
        return false;
    (*shown)++;
    return true;
}

static int put_rows(const struct explain_page *page, const struct weights *weights)
{
    const struct explanation *explanation = page->report->explanation;
    char value[HUMAN_MAX], share[HUMAN_MAX];
    struct rank rank;
    uint64_t shown = 0;
    size_t left_out = 0;
    int64_t left_out_value = 0;
    int const err = rank_build(page->report->recording, weights, BY_STACK, &rank);
    if (err < 0)
        return err;
    vec_each (row, &rank.rows) {
        if (explain_row_is_shown(page->report, row, &shown)) {
            put_row(page, &rank, row);
        } else if (row->self_value) {
            left_out++;
            left_out_value += row->self_value;
        }
    }
    if (left_out && page->report->top) {
        text_ink(page->style, page->out, INK_DIM);
        fprintf(page->out, "  %*s%10s  %8s  %zu more, see --top\n", NAME_COLUMNS, "",
                human_bytes(left_out_value, value),
                human_share(left_out_value, (int64_t)explanation->total, share), left_out);
        text_ink(page->style, page->out, INK_PLAIN);
    }
    rank_fini(&rank);
    return 0;
}

static int put_part(const struct explain_page *page, const struct explained_part *part)
{
    const struct explanation *explanation = page->report->explanation;
    const struct weights *weights = part->weights;
    char value[HUMAN_MAX], share[HUMAN_MAX];
    if (weights->rows.count == 0 && part->words != &owner_words[OWNER_OTHER])
        return 0;
    text_ink(page->style, page->out, INK_STRONG);
    fprintf(page->out, "  %-*s%10s  %8s  ", NAME_COLUMNS, part->words->name,
            human_bytes(weights->total_value, value),
            human_share(weights->total_value, (int64_t)explanation->total, share));
    text_ink(page->style, page->out, INK_PLAIN);
    text_write(page->out, weights->metric->help, text_room(page->style, NUMBER_COLUMNS));
    putc('\n', page->out);
    int err = put_rows(page, weights);
    if (err == 0 && part->touched) {
        fprintf(page->out, "  %*s%10s  %8s  touched first by\n", NAME_COLUMNS, "",
                human_bytes(part->touched->total_value, value),
                human_share(part->touched->total_value, (int64_t)explanation->total, share));
        err = put_rows(page, part->touched);
    }
    return err;
}

static void add_where(struct recording *recording, uint32_t stack, struct text_line *line)
{
    struct shown_frame frame;
    if (stack_show(recording, stack, &frame, 1) == 0)
        return;
    line_add_name(line, recording_text(recording, frame.function));
    if (frame.file)
        line_add(line, " (%s:%u)", text_path_end(recording_text(recording, frame.file)),
                 frame.line);
}

/* How the allocator of the program gives back what it keeps. */
static const char *how_to_trim(const struct recording *recording)
{
    vec_each (trait, &recording->traits) {
        if (trait->kind == TRAIT_JEMALLOC)
            return "jemalloc returns them after a while, sooner with "
                   "MALLOC_CONF=dirty_decay_ms:1000, and at once with "
                   "mallctl(\"arena.4096.purge\")";
        if (trait->kind == TRAIT_TCMALLOC)
            return "MallocExtension_ReleaseFreeMemory() gives them back to the kernel, and "
                   "TCMALLOC_RELEASE_RATE=10 makes tcmalloc keep less";
        if (trait->kind == TRAIT_MIMALLOC)
            return "mi_collect(true) gives them back to the kernel";
        if (trait->kind == TRAIT_OWN_MALLOC)
            return "the program's own allocator decides when the kernel gets them back";
    }
    return "malloc_trim(0) gives them back to the kernel, and MALLOC_TRIM_THRESHOLD_ makes glibc "
           "keep less";
}

void advice_render(struct recording *recording, const struct advice *advice, struct text_line *line)
{
    char bytes[HUMAN_MAX], live[HUMAN_MAX];
    human_bytes((int64_t)advice->bytes, bytes);
    switch (advice->kind) {
    case ADVICE_TRIM:
        line_add(line, "%s are whole free pages that the allocator keeps: %s", bytes,
                 how_to_trim(recording));
        break;
    case ADVICE_ARENAS:
        line_add(line,
                 "%s of that is in arenas for threads (%u keep free pages): MALLOC_ARENA_MAX=2 "
                 "would keep less, but threads would wait for each other",
                 bytes, advice->count);
        break;
    case ADVICE_FRAGMENTED:
        line_add(line, "%s are in pages that few live blocks pin; the blocks of ", bytes);
        add_where(recording, advice->stack, line);
        line_add(line,
                 " pin most, and are %s themselves: allocate long-lived and short-lived blocks "
                 "apart (in a pool), or try another allocator (jemalloc, mimalloc); memoir flame "
                 "--metric heap.held shows which code pins pages",
                 human_bytes((int64_t)advice->of_bytes, live));
        break;
    case ADVICE_STACKS:
        line_add(line,
                 "%s are stacks of threads (%u owners): use fewer threads, or put less on their "
                 "stacks",
                 bytes, advice->count);
        break;
    case ADVICE_GROWING:
        add_where(recording, advice->stack, line);
        line_add(line,
                 " keeps growing, by %s an hour, and has %s: memoir report lists all functions "
                 "that grow, and since when",
                 human_bytes((int64_t)advice->of_bytes, live), bytes);
        break;
    case ADVICE_EARLIER:
        line_add(line,
                 "%s were touched before the recording began: memoir pages -- PROGRAM records from "
                 "the start and shows which code touched them",
                 bytes);
        break;
    case ADVICE_BLOCKS:
        line_add(
            line,
            "for %s memoir knows the code that touched them first, but not the code that allocated "
            "them, nor which bytes are free: memoir run --pages and memoir attach --pages show "
            "both for programs that call malloc (not Go, not static programs); memoir map ",
            bytes);
        if (recording->pid)
            line_add(line, "%u", recording->pid);
        else
            line_add(line, "PID");
        line_add(line, " shows the numbers of the runtime");
        break;
    case ADVICE_UNTOUCHED:
        line_add(line,
                 "%s of live blocks were never touched or are swapped out: they use no memory now",
                 bytes);
        break;
    case ADVICE_RESERVED:
        line_add(
            line,
            "%s that the program mapped itself are reserved but not resident: they use no memory "
            "now",
            bytes);
        break;
    case ADVICE_KINDS:
        break;
    }
}

/* In the order in which they are read best. */
static int put_parts(const struct explain_page *page)
{
    static const enum owner_kind order[OWNER_KINDS] = {
        OWNER_LIVE,    OWNER_HELD,  OWNER_KEPT, OWNER_BEFORE, OWNER_MAPPED,
        OWNER_RUNTIME, OWNER_STACK, OWNER_FILE, OWNER_OWN,    OWNER_OTHER};
    struct explained_part parts[EXPLAINED_PARTS_MAX];
    bool const is_of_pages = page->report->explanation->is_of_pages;
    size_t const count = explain_parts(page->report->explanation, parts);
    int err = 0;
    for (size_t i = 0; i < count && err == 0; i++)
        err = put_part(page, &parts[is_of_pages ? i : order[i]]);
    return err;
}

int explain_text_write(const struct explain_report *report, const struct text_style *style,
                       FILE *out)
{
    struct explain_page const page = {report, style, out};
    put_head(&page);
    put_beside(&page);
    put_doubts(&page);
    put_notes(&page);
    putc('\n', out);
    int err = put_parts(&page);
    if (err == 0 && report->explanation->advice.count)
        fputs("\nWhat to do\n", out);
    for (size_t i = 0; i < report->explanation->advice.count && err == 0; i++) {
        struct text_line line = {0};
        advice_render(report->recording, &report->explanation->advice.items[i], &line);
        enum advice_kind const kind = report->explanation->advice.items[i].kind;
        INVARIANT(kind < ADVICE_KINDS);
        text_paragraph(style, out, advice_labels[kind], line.text);
    }
    return err;
}
