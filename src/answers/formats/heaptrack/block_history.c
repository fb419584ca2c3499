/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/block_history.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "formats/heaptrack/block_match.h"

struct byte_bounds {
    int64_t low, high;
};

/* What bytes `part` of `count` blocks can have, when all of them have `bytes`. */
static struct byte_bounds bytes_of_part(uint64_t part, uint64_t count, uint64_t bytes)
{
    return (struct byte_bounds){part == count ? (int64_t)bytes : 0, part == 0 ? 0 : (int64_t)bytes};
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Of the bucket with the peak: the part before it, so that `live` plus that part is `peak`. */
struct split {
    uint64_t calls, frees;
    int64_t off_by; /* bytes missed */
    uint64_t bytes, freed;
};

/* Fills the bytes of a split whose counts are chosen; off_by tells how well it went. */
static void split_bytes(struct split *split, const struct stack_sums *all, int64_t rise)
{
    struct byte_bounds bytes = bytes_of_part(split->calls, all->calls, all->bytes);
    struct byte_bounds freed = bytes_of_part(split->frees, all->frees, all->freed);
    int64_t low = bytes.low - rise, high = bytes.high - rise; /* what `freed` has to be */
    int64_t natural = all->frees ? (int64_t)share_of(all->freed, split->frees, all->frees) : 0;
    if (freed.low > low)
        low = freed.low;
    if (freed.high < high)
        high = freed.high;
    split->freed =
        (uint64_t)(low <= high ? clamp(natural, low, high) : clamp(low, freed.low, freed.high));
    int64_t wanted = rise + (int64_t)split->freed;
    split->bytes = (uint64_t)clamp(wanted, bytes.low, bytes.high);
    split->off_by = llabs(wanted - (int64_t)split->bytes);
}

/* The fewest events before the peak that explain it.  Between the corner cases every choice of
 * counts leaves the bytes equally free, so four tries are all there are. */
static struct split split_at_peak(const struct stack_sums *all, const struct stack_sums *live,
                                  struct peak_state peak)
{
    int64_t rise = (int64_t)peak.count - (int64_t)live->calls;
    int64_t least = rise > 0 ? rise : 0;
    int64_t most = rise + (int64_t)all->frees;
    if (most > (int64_t)all->calls)
        most = (int64_t)all->calls;
    int64_t tries[] = {least, least + 1, most - 1, most};
    struct split best = {.off_by = INT64_MAX};
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        if (tries[i] < least || tries[i] > most)
            continue;
        struct split split = {.calls = (uint64_t)tries[i], .frees = (uint64_t)(tries[i] - rise)};
        split_bytes(&split, all, (int64_t)peak.bytes - (int64_t)live->bytes);
        if (split.off_by < best.off_by)
            best = split;
    }
    if (best.off_by == INT64_MAX) { /* the counts contradict each other: all of it before */
        best = (struct split){all->calls, all->frees, 0, all->bytes, all->freed};
        best.off_by = llabs((int64_t)(live->bytes + all->bytes - all->freed - peak.bytes));
    }
    return best;
}

/* Temporary blocks that became part of longer runs: a run of the same stack is made to die at once.
 */
static bool make_temporary(struct block_runs *runs, size_t at, uint64_t *wanted)
{
    struct block_run *run = &runs->runs.items[at];
    uint64_t part = run->count < *wanted ? run->count : *wanted;
    if (part < run->count) {
        struct block_run rest = *run;
        rest.count -= part;
        rest.bytes -= share_of(run->bytes, part, run->count);
        rest.freed = rest.bytes;
        if (!vec_push(&runs->runs, rest))
            return false;
        run = &runs->runs.items[at];
        run->bytes -= rest.bytes;
        run->freed = run->bytes;
        run->count = part;
    }
    run->temporary = part;
    *wanted -= part;
    return true;
}

static bool crosses(const struct block_run *run, uint32_t peak_slot)
{
    return peak_slot != SLOT_NEVER && run->born <= peak_slot && run->died > peak_slot;
}

/* One block in all the file can be temporary and alive at the peak: the last one born before it. */
static bool place_at_peak(struct block_runs *runs, size_t first, uint32_t peak_slot,
                          uint64_t *wanted)
{
    size_t end = runs->runs.count;
    for (size_t i = first; i < end && *wanted && !runs->peak_temporary_run; i++) {
        struct block_run *run = &runs->runs.items[i];
        if (!crosses(run, peak_slot) || run->died == SLOT_NEVER || run->resized)
            continue;
        uint64_t one = 1;
        if (!make_temporary(runs, i, &one))
            return false;
        run = &runs->runs.items[i];
        run->born = peak_slot;
        run->died = peak_slot + 1;
        runs->peak_temporary_run = i + 1;
        --*wanted;
    }
    return true;
}

/* Spreads what temporary blocks are not placed yet over the runs of this stack from `first` on. */
static bool place_temporary(struct block_runs *runs, size_t first, uint32_t peak_slot,
                            uint64_t wanted)
{
    size_t end = runs->runs.count;
    for (size_t i = first; i < end && wanted; i++) {
        struct block_run *run = &runs->runs.items[i];
        if (run->born == run->died && !run->temporary && !run->resized &&
            !make_temporary(runs, i, &wanted))
            return false;
    }
    for (size_t i = first; i < end && wanted; i++) {
        struct block_run *run = &runs->runs.items[i];
        if (run->died == SLOT_NEVER || run->born == run->died || run->resized ||
            crosses(run, peak_slot))
            continue;
        if (!make_temporary(runs, i, &wanted))
            return false;
        runs->runs.items[i].born = runs->runs.items[i].died;
    }
    if (!place_at_peak(runs, first, peak_slot, &wanted))
        return false;
    runs->temporary_left_over += wanted;
    return true;
}

/* Feeds one bucket, cut in two where the peak lies in it. */
static bool feed(struct block_match *match, const struct stack_sums *sums, struct peak_state peak,
                 struct stack_sums *live)
{
    if (sums->slot != peak.slot) {
        live->calls += sums->calls - sums->frees;
        live->bytes += sums->bytes - sums->freed;
        return block_match_feed(match, sums);
    }
    struct split split = split_at_peak(sums, live, peak);
    match->out->peak_off_by += (uint64_t)split.off_by;
    struct stack_sums before = {.slot = sums->slot,
                                .calls = split.calls,
                                .bytes = split.bytes,
                                .frees = split.frees,
                                .freed = split.freed};
    struct stack_sums after = {.slot = sums->slot + 1,
                               .calls = sums->calls - split.calls,
                               .bytes = sums->bytes - split.bytes,
                               .frees = sums->frees - split.frees,
                               .freed = sums->freed - split.freed};
    before.temporary = after.temporary = sums->temporary;
    live->calls += sums->calls - sums->frees;
    live->bytes += sums->bytes - sums->freed;
    if (!block_match_feed(match, &before))
        return false;
    after.temporary -= match->placed_now;
    return block_match_feed(match, &after);
}

int block_runs_add(struct block_runs *runs, const struct stack_sums *sums, size_t sums_count,
                   struct peak_state peak)
{
    struct block_match match = {.out = runs, .stack = sums_count ? sums[0].stack : 0};
    struct stack_sums live = {0};
    size_t first = runs->runs.count;
    uint64_t temporary = 0;
    bool seen_peak = peak.slot == SLOT_NEVER, fine = true;

    for (size_t i = 0; i < sums_count && fine; i++) {
        if (!seen_peak && sums[i].slot >= peak.slot) {
            seen_peak = true;
            if (sums[i].slot > peak.slot) /* quiet in the peak's bucket: it must already be there */
                runs->peak_off_by += (uint64_t)llabs((int64_t)(live.bytes - peak.bytes));
        }
        temporary += sums[i].temporary;
        fine = feed(&match, &sums[i], peak, &live);
    }
    if (!seen_peak)
        runs->peak_off_by += (uint64_t)llabs((int64_t)(live.bytes - peak.bytes));
    fine = fine && block_match_finish(&match);
    if (fine && temporary > match.placed)
        fine = place_temporary(runs, first, peak.slot, temporary - match.placed);
    block_match_fini(&match);
    return fine ? 0 : -ENOMEM;
}

void block_runs_fini(struct block_runs *runs)
{
    vec_free(&runs->runs);
}
