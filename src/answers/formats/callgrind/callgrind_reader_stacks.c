/* SPDX-License-Identifier: Apache-2.0 */
/* callgrind_reader_stacks.c - makes call stacks for a callgrind.out, which has none.  The file says
 * what each function costs itself, and which function calls which, but not through which callers a
 * cost came about.  So a function is put under those functions that are on every path to it, and
 * under no others: its own cost is exact, and everything shown under a function was certainly
 * caused by that function.  If other functions call it too, a frame says so. */
#include <errno.h>

#include "formats/callgrind/call_dominators.h"
#include "formats/callgrind/callgrind_reader.h"
#include "formats/shared/frame_maker.h"
#include "formats/massif/xtree_sums.h"
#include "model/memory/page_kind.h"

#define WAYS_FRAME "[called by several ways]"

struct stack_maker {
    struct callgrind_reader *reader;
    struct frame_maker frames;
    struct call_dominators dominators;
    stack_id *callers, *stacks; /* by function: what it is called by, and with it */
    uint32_t ways;              /* the frame of WAYS_FRAME */
};

static struct slice text_of(const struct stack_maker *maker, string_id id)
{
    return slice_of(recording_text(maker->reader->recording, id));
}

static int make_frame(struct stack_maker *maker, uint32_t function, uint32_t line, uint32_t *frame)
{
    const struct cost_function *its = &maker->reader->graph.functions.items[function];
    struct frame_words words = {.function = text_of(maker, its->name),
                                .module = text_of(maker, its->module),
                                .file = text_of(maker, its->file),
                                .line = line};
    if (words.function.size == 0)
        words.function = slice_of("???");
    return frame_make(&maker->frames, &words, frame);
}

/* Callers come before callees. */
static int stack_function(struct stack_maker *maker, uint32_t function)
{
    struct stack_table *table = maker->reader->recording->stacks;
    uint32_t const nearest = maker->dominators.nearest[function];
    stack_id callers = nearest == DOMINATOR_ROOT ? STACK_EMPTY : maker->stacks[nearest];
    uint32_t frame;
    if (maker->dominators.has_others[function] &&
        stack_table_push(table, callers, maker->ways, &callers) < 0)
        return -ENOMEM;
    maker->callers[function] = callers;
    if (make_frame(maker, function, 0, &frame) < 0)
        return -ENOMEM;
    return stack_table_push(table, callers, frame, &maker->stacks[function]);
}

static uint32_t find_root(const struct callgrind_reader *reader)
{
    for (uint32_t i = 0; reader->is_ours && i < reader->graph.functions.count; i++)
        if (strcmp(recording_text(reader->recording, reader->graph.functions.items[i].name),
                   COST_ROOT_NAME) == 0)
            return i;
    return DOMINATOR_ROOT;
}

static int make_stacks(struct stack_maker *maker)
{
    const struct cost_graph *graph = &maker->reader->graph;
    size_t const count = graph->functions.count;
    int err = call_dominators_make(graph, find_root(maker->reader), &maker->dominators);
    maker->callers = calloc(count + 1, sizeof(stack_id));
    maker->stacks = calloc(count + 1, sizeof(stack_id));
    if (!err && (!maker->callers || !maker->stacks ||
                 frame_make_name(&maker->frames, WAYS_FRAME, &maker->ways) < 0))
        err = -ENOMEM;
    for (size_t i = 0; i < count && !err; i++)
        err = stack_function(maker, maker->dominators.order[i]);
    return err;
}

static int put(struct bucket *bucket, size_t *room, stack_id stack, unsigned column, uint64_t value)
{
    if (value == 0)
        return 0;
    if (bucket->cell_count == *room) {
        struct cell *grown =
            vec_grow_items(bucket->cells, room, *room + 1, sizeof(bucket->cells[0]));
        if (!grown)
            return -ENOMEM;
        bucket->cells = grown;
    }
    bucket->cells[bucket->cell_count++] = (struct cell){stack, (uint16_t)column, (int64_t)value};
    return 0;
}

/* What goes into the bucket that xtree_book has made. */
static const struct {
    enum callgrind_slot slot;
    unsigned column;
} columns[] = {
    {SLOT_INSTRUCTIONS, COL_INSTRUCTIONS},     {SLOT_CPU, COL_CPU_NS}, {SLOT_WAIT, COL_OFFCPU_NS},
    {SLOT_PAGES, COL_PAGES_0 + 2 * PAGE_ANON}, {SLOT_OTHER, COL_COST},
};
static const enum xtree_sum heap_sums[] = {
    /* NOLINTNEXTLINE(misc-redundant-expression): as the rows below */
    [SLOT_NOW_BYTES - SLOT_NOW_BYTES] = XTREE_NOW_BYTES,
    [SLOT_NOW_BLOCKS - SLOT_NOW_BYTES] = XTREE_NOW_BLOCKS,
    [SLOT_ALL_BYTES - SLOT_NOW_BYTES] = XTREE_ALL_BYTES,
    [SLOT_ALL_BLOCKS - SLOT_NOW_BYTES] = XTREE_ALL_BLOCKS,
};

struct booking {
    struct bucket costs;
    size_t cost_room;
    struct pin peak;
    size_t peak_room;
    struct xtree_sums heap;
};

/* A line of a function with costs is a stack of its own. */
static int book_line(struct stack_maker *maker, struct booking *booking,
                     const struct cost_line *line)
{
    struct bucket pinned = {.cells = booking->peak.cells, .cell_count = booking->peak.cell_count};
    uint32_t frame;
    stack_id stack = maker->stacks[line->function];
    int err = 0;
    if (line->line && (make_frame(maker, line->function, line->line, &frame) < 0 ||
                       stack_table_push(maker->reader->recording->stacks,
                                        maker->callers[line->function], frame, &stack) < 0))
        return -ENOMEM;
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]) && !err; i++)
        err = put(&booking->costs, &booking->cost_room, stack, columns[i].column,
                  line->costs[columns[i].slot]);
    for (unsigned slot = SLOT_NOW_BYTES; slot <= SLOT_ALL_BLOCKS && !err; slot++)
        if (line->costs[slot])
            err = xtree_add(&booking->heap, stack, heap_sums[slot - SLOT_NOW_BYTES],
                            line->costs[slot]);
    if (!err)
        err = put(&pinned, &booking->peak_room, stack, COL_HEAP_BYTES, line->costs[SLOT_PEAK]);
    booking->peak.cells = pinned.cells;
    booking->peak.cell_count = pinned.cell_count;
    return err;
}

/* Puts what is booked into the recording, whose time is one bucket. */
static int finish(struct callgrind_reader *reader, struct booking *booking)
{
    struct recording *recording = reader->recording;
    const uint64_t *totals = reader->graph.totals;
    uint64_t const length = totals[SLOT_CPU] < INT64_MAX ? totals[SLOT_CPU] : 1;
    int err = xtree_book(&booking->heap, recording, length);
    for (size_t i = 0; i < booking->costs.cell_count && !err; i++) {
        struct bucket *bucket = &recording->buckets.items[0];
        const struct cell *cell = &booking->costs.cells[i];
        if (i == 0)
            booking->cost_room = bucket->cell_count;
        err = put(bucket, &booking->cost_room, cell->key, cell->column, (uint64_t)cell->value);
    }
    if (err || booking->peak.cell_count == 0)
        return err;
    booking->peak.kind = PIN_PEAK;
    recording->heap.peak_bytes = totals[SLOT_PEAK];
    if (!vec_push(&recording->pins, booking->peak))
        return -ENOMEM;
    booking->peak.cells = NULL;
    return 0;
}

int callgrind_make_stacks(struct callgrind_reader *reader)
{
    struct stack_maker maker = {.reader = reader, .frames = {.recording = reader->recording}};
    struct booking booking = {0};
    int err = make_stacks(&maker);
    for (size_t i = 0; i < reader->graph.lines.count && !err; i++)
        err = book_line(&maker, &booking, &reader->graph.lines.items[i]);
    if (!err)
        err = finish(reader, &booking);
    free(booking.costs.cells);
    free(booking.peak.cells);
    xtree_fini(&booking.heap);
    call_dominators_fini(&maker.dominators);
    free(maker.callers);
    free(maker.stacks);
    frame_maker_fini(&maker.frames);
    return err;
}
