/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/block_match.h"

#include <string.h>

static double average(const struct block_segment *segment)
{
    return (double)segment->bytes / (double)segment->count;
}

static bool is_before(const struct block_segment *segment, double size, uint32_t born)
{
    double const here = average(segment);
    return here < size || (here == size && segment->born < born);
}

/* The first segment not before (size, born). */
static size_t pool_position(const struct block_match *match, double size, uint32_t born)
{
    return vec_lower_bound(&match->pool, segment, is_before(segment, size, born));
}

static bool pool_add(struct block_match *match, struct block_segment segment)
{
    size_t at = pool_position(match, average(&segment), segment.born);
    if (!vec_push(&match->pool, segment))
        return false;
    struct block_segment *items = match->pool.items;
    memmove(items + at + 1, items + at, (match->pool.count - 1 - at) * sizeof(*items));
    items[at] = segment;
    return true;
}

/* A part of the pool: segments [first, end), of which some blocks die. */
struct window {
    struct block_segment *items;
    size_t first, end, room; /* room: segments in the pool */
};

/* Marks `wanted` blocks as dying, those whose average is nearest to `size` first: blocks of one
 * kind then die with their own sizes, and the odd long-lived one keeps its own. */
static struct window mark_nearest(struct block_match *match, double size, uint64_t wanted)
{
    struct window window = {.items = match->pool.items, .room = match->pool.count};
    window.first = window.end = pool_position(match, size, 0);
    while (wanted > 0) {
        bool left = window.first > 0, right = window.end < window.room;
        if (left && right)
            left = size - average(&window.items[window.first - 1]) <
                   average(&window.items[window.end]) - size;
        struct block_segment *segment =
            left ? &window.items[--window.first] : &window.items[window.end++];
        segment->dying = segment->count < wanted ? segment->count : wanted;
        wanted -= segment->dying;
    }
    return window;
}

/* The bytes that can die with the blocks marked: fixed where all or none of a segment does. */
static void window_range(const struct window *window, uint64_t *low, uint64_t *high)
{
    *low = *high = 0;
    for (size_t i = window->first; i < window->end; i++) {
        const struct block_segment *segment = &window->items[i];
        if (segment->dying == segment->count)
            *low += segment->bytes;
        if (segment->dying > 0)
            *high += segment->bytes;
    }
}

static bool window_allows(const struct window *window, uint64_t bytes)
{
    uint64_t low, high;
    window_range(window, &low, &high);
    return low <= bytes && bytes <= high;
}

/* One block of `from` lives on, one of `to` dies instead, if that makes `bytes` possible. */
static bool try_swap(const struct window *window, size_t from, size_t to, uint64_t bytes)
{
    struct block_segment *donor = &window->items[from], *taker = &window->items[to];
    if (from == to || donor->count < 2 || donor->dying == 0 || taker->dying == taker->count)
        return false;
    donor->dying--;
    taker->dying++;
    if (window_allows(window, bytes))
        return true;
    donor->dying++;
    taker->dying--;
    return false;
}

/* The nearest choice of blocks need not allow the exact bytes; a swap with a big segment may. */
static void repair(struct window *window, uint64_t bytes)
{
    if (window_allows(window, bytes))
        return;
    window->first -= window->first > 0; /* one neighbour on either side may take part */
    window->end += window->end < window->room;
    size_t biggest = window->first;
    for (size_t i = window->first; i < window->end; i++) {
        const struct block_segment *segment = &window->items[i];
        if (segment->dying && segment->count > 1 && segment->bytes >= window->items[biggest].bytes)
            biggest = i;
    }
    for (size_t i = window->first; i < window->end; i++) {
        if (try_swap(window, biggest, i, bytes) || try_swap(window, i, biggest, bytes))
            return;
    }
}

/* Gives every marked segment its dying bytes, as near to its average as `bytes` allows.  Returns
 * what could not be given: more (positive) or fewer (negative) bytes have to die. */
static int64_t spread_bytes(const struct window *window, uint64_t bytes)
{
    int64_t left = (int64_t)bytes;
    for (size_t i = window->first; i < window->end; i++) {
        struct block_segment *segment = &window->items[i];
        segment->dying_bytes = share_of(segment->bytes, segment->dying, segment->count);
        left -= (int64_t)segment->dying_bytes;
    }
    for (size_t i = window->first; i < window->end && left != 0; i++) {
        struct block_segment *segment = &window->items[i];
        if (segment->dying == 0 || segment->dying == segment->count)
            continue;
        int64_t more = (int64_t)(segment->bytes - segment->dying_bytes);
        int64_t fewer = -(int64_t)segment->dying_bytes;
        int64_t change = left > more ? more : left < fewer ? fewer : left;
        segment->dying_bytes += (uint64_t)change;
        left -= change;
    }
    return left;
}

/* The run of a segment's dying blocks; it takes what it can of the `missing` bytes on its deaths.
 */
static struct block_run make_run(const struct block_segment *segment, uint32_t stack, uint32_t slot,
                                 int64_t *missing)
{
    struct block_run run = {.stack = stack,
                            .born = segment->born,
                            .died = slot,
                            .count = segment->dying,
                            .bytes = segment->dying_bytes};
    int64_t fewest = -(int64_t)run.bytes;
    int64_t change = *missing < fewest ? fewest : *missing;
    run.freed = run.bytes + (uint64_t)change;
    run.resized = change != 0;
    *missing -= change;
    return run;
}

static bool emit_runs(struct block_match *match, const struct window *window, uint32_t slot,
                      int64_t missing)
{
    for (size_t i = window->first; i < window->end; i++) {
        if (window->items[i].dying == 0)
            continue;
        struct block_run run = make_run(&window->items[i], match->stack, slot, &missing);
        match->out->resized_frees += run.resized ? run.count : 0;
        if (!vec_push(&match->out->runs, run))
            return false;
    }
    return true;
}

/* Takes the window out of the pool and puts back what of it lives on. */
static bool close_window(struct block_match *match, const struct window *window)
{
    size_t count = window->end - window->first;
    struct block_segment *rest = malloc((count ? count : 1) * sizeof(*rest));
    if (!rest)
        return false;
    struct block_segment *first = window->items + window->first;
    memcpy(rest, first, count * sizeof(*rest));
    memmove(first, first + count, (match->pool.count - window->end) * sizeof(*rest));
    match->pool.count -= count;
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++) {
        struct block_segment left = {.born = rest[i].born,
                                     .count = rest[i].count - rest[i].dying,
                                     .bytes = rest[i].bytes - rest[i].dying_bytes};
        fine = left.count == 0 || pool_add(match, left);
    }
    free(rest);
    return fine;
}

static bool free_blocks(struct block_match *match, const struct stack_sums *sums)
{
    uint64_t frees = sums->frees;
    if (frees > match->live) {
        match->out->frees_left_out += frees - match->live;
        frees = match->live;
    }
    if (frees == 0)
        return true;
    match->live -= frees;
    struct window window = mark_nearest(match, (double)sums->freed / (double)sums->frees, frees);
    repair(&window, sums->freed);
    int64_t missing = spread_bytes(&window, sums->freed);
    return emit_runs(match, &window, sums->slot, missing) && close_window(match, &window);
}

/* How many of the slot's blocks are surely born and freed in it, and their bytes; the rest of the
 * sums has to stay possible, so one fewer when all of them do not fit. */
static uint64_t sure_pairs(const struct stack_sums *sums, uint64_t *bytes)
{
    uint64_t pairs = sums->temporary;
    pairs = pairs < sums->calls ? pairs : sums->calls;
    pairs = pairs < sums->frees ? pairs : sums->frees;
    bool all_born = pairs == sums->calls, all_dead = pairs == sums->frees;
    bool fits =
        !(all_born && sums->bytes > sums->freed) && !(all_dead && sums->freed > sums->bytes);
    *bytes = all_born ? sums->bytes : sums->freed;
    if (pairs == 0 || ((all_born || all_dead) && fits))
        return pairs;
    pairs -= all_born || all_dead;
    uint64_t by_birth = share_of(sums->bytes, pairs, sums->calls);
    uint64_t by_death = share_of(sums->freed, pairs, sums->frees);
    *bytes = by_birth < by_death ? by_birth : by_death;
    return pairs;
}

bool block_match_feed(struct block_match *match, const struct stack_sums *sums)
{
    uint64_t bytes = 0, pairs = sure_pairs(sums, &bytes);
    struct stack_sums rest = *sums;
    match->placed_now = pairs;
    if (pairs > 0) {
        struct block_run run = {match->stack, sums->slot, sums->slot, pairs,
                                bytes,        bytes,      pairs,      0};
        if (!vec_push(&match->out->runs, run))
            return false;
        match->placed += pairs;
        rest.calls -= pairs;
        rest.bytes -= bytes;
        rest.frees -= pairs;
        rest.freed -= bytes;
    }
    struct block_segment born = {.born = sums->slot, .count = rest.calls, .bytes = rest.bytes};
    if (born.count > 0 && !pool_add(match, born))
        return false;
    match->live += born.count;
    return free_blocks(match, &rest);
}

bool block_match_finish(struct block_match *match)
{
    for (size_t i = 0; i < match->pool.count; i++) {
        const struct block_segment *segment = &match->pool.items[i];
        struct block_run run = {match->stack,   segment->born,  SLOT_NEVER, segment->count,
                                segment->bytes, segment->bytes, 0,          0};
        if (!vec_push(&match->out->runs, run))
            return false;
    }
    return true;
}

void block_match_fini(struct block_match *match)
{
    vec_free(&match->pool);
}
