/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/ring_told.h"

#include <errno.h>
#include <string.h>

#include "base/invariant.h"
#include "wire/told.h"

/* No block or region is larger than the memory of a process. */
#define BYTES_LIMIT (1ull << 47)

/* A record, copied: the program may change what is in its ring while we read. */
struct ring_told {
    enum told_kind kind;
    unsigned fixed, count; /* words before the text, and in all */
    uint64_t words[TOLD_WORDS_MAX];
};

/* `first` is its first word as it was when its length was looked at.  False when there is no
 * such record. */
static bool copy_record(const struct ring *ring, uint64_t at, uint64_t first,
                        struct ring_told *told)
{
    told->kind = told_kind_of(first);
    told->fixed = told_fixed_words(told->kind);
    told->count = event_length(first);
    if (told->fixed == 0 || told->count < told->fixed || told->count > TOLD_WORDS_MAX ||
        told->count - told->fixed > TOLD_TEXT_MAX / 8)
        return false;
    INVARIANT(told->fixed <= told->count && at + told->count <= ring->limit);
    told->words[0] = first;
    for (unsigned i = 1; i < told->count; i++)
        told->words[i] = ring_word(ring, at + i);
    return true;
}

/* copy_record has made sure that each kind has its words. */
/* NOLINTBEGIN(clang-analyzer-core.uninitialized.Assign) */
/* NOLINTBEGIN(clang-analyzer-core.UndefinedBinaryOperatorResult) */
/* Up to its first NUL. */
static struct slice text_of(const struct ring_told *told)
{
    INVARIANT(told->fixed > 0 && told->count <= TOLD_WORDS_MAX);
    const char *text = (const char *)(told->words + told->fixed);
    return (struct slice){text, strnlen(text, 8 * (size_t)(told->count - told->fixed))};
}

static int see_block(struct ring *ring, const struct ring_told *record, bool makes)
{
    uint64_t const first = record->words[0], second = record->words[1];
    uint64_t time_ns = session_time(ring->session, ring->time_ns);
    struct told_block told = {.event = {.kind = makes ? HEAP_ALLOC : HEAP_FREE,
                                        .ring = ring->index,
                                        .sequence = (uint32_t)second & EVENT_SEQUENCE_MASK,
                                        .block = {.address = event_address(first),
                                                  .size = makes ? record->words[2] : 0,
                                                  .time_ns = time_ns,
                                                  .thread = ring->thread},
                                        .freeing = {.address = event_address(first),
                                                    .time_ns = time_ns,
                                                    .ring = ring->index,
                                                    .thread = ring->thread}},
                              .node = (uint32_t)(second >> 32),
                              .fill =
                                  makes ? (uint32_t)record->words[3] : (uint32_t)(second >> 32)};
    if (told.event.block.address == 0 || told.event.block.size >= BYTES_LIMIT)
        return -EINVAL;
    return session_told_block(ring->session, &told, ring->hurry);
}

static int see_region(struct ring *ring, const struct ring_told *record, bool names)
{
    struct told_region region = {.start = event_address(record->words[0]),
                                 .length = record->words[names ? 2 : 1]};
    if (region.length >= BYTES_LIMIT)
        return -EINVAL;
    if (names) {
        region.node = (uint32_t)record->words[1];
        region.name = text_of(record);
        if (region.name.size == 0)
            region.name = slice_of("unnamed");
    }
    return session_told_region(ring->session, &region);
}

int ring_told_see(struct ring *ring, uint64_t at, uint64_t first)
{
    struct ring_told record;
    uint64_t const time_ns = session_time(ring->session, ring->time_ns);
    if (!copy_record(ring, at, first, &record))
        return -EINVAL;
    switch (record.kind) {
    case TOLD_ALLOC:
    case TOLD_FREE:
        return see_block(ring, &record, record.kind == TOLD_ALLOC);
    case TOLD_POOL:
        return session_told_pool(ring->session, (uint32_t)(record.words[1] >> 32),
                                 (uint32_t)record.words[1], text_of(&record), time_ns);
    case TOLD_REGION:
    case TOLD_UNNAME:
        return see_region(ring, &record, record.kind == TOLD_REGION);
    case TOLD_MARK: {
        enum mark_kind mark = (enum mark_kind)(first >> 16 & 15);
        if (mark < MARK_INSTANT || mark > MARK_END)
            return -EINVAL;
        return session_told_mark(ring->session, mark, text_of(&record), time_ns);
    }
    default:
        return -EINVAL;
    }
}
/* NOLINTEND(clang-analyzer-core.UndefinedBinaryOperatorResult) */
/* NOLINTEND(clang-analyzer-core.uninitialized.Assign) */
