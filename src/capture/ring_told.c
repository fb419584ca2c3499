/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/ring_told.h"

#include <errno.h>
#include <string.h>

#include "wire/told.h"

/* No block or region is larger than the memory of a process. */
#define BYTES_LIMIT (1ull << 47)

/* The text of the record at `at`, in `bytes`: up to its first NUL. */
static struct slice text_of(const struct ring *ring, uint64_t at, char bytes[TOLD_TEXT_MAX])
{
    uint64_t first = ring_word(ring, at);
    unsigned fixed = told_fixed_words(told_kind_of(first)), words = event_length(first);
    for (unsigned i = fixed; i < words; i++) {
        uint64_t word = ring_word(ring, at + i);
        memcpy(bytes + 8 * (i - fixed), &word, 8);
    }
    return (struct slice){bytes, strnlen(bytes, 8 * (size_t)(words - fixed))};
}

static int see_block(struct ring *ring, uint64_t at, bool makes)
{
    uint64_t first = ring_word(ring, at), second = ring_word(ring, at + 1);
    uint64_t time_ns = session_time(ring->session, ring->time_ns);
    struct told_block told = {.event = {.kind = makes ? HEAP_ALLOC : HEAP_FREE,
                                        .ring = ring->index,
                                        .sequence = (uint32_t)second & EVENT_SEQUENCE_MASK,
                                        .block = {.address = event_address(first),
                                                  .size = makes ? ring_word(ring, at + 2) : 0,
                                                  .time_ns = time_ns,
                                                  .thread = ring->thread},
                                        .freeing = {.address = event_address(first),
                                                    .time_ns = time_ns,
                                                    .ring = ring->index,
                                                    .thread = ring->thread}},
                              .node = (uint32_t)(second >> 32),
                              .fill = makes ? (uint32_t)ring_word(ring, at + 3)
                                            : (uint32_t)(second >> 32)};
    if (told.event.block.address == 0 || told.event.block.size >= BYTES_LIMIT)
        return -EINVAL;
    return session_told_block(ring->session, &told, ring->hurry);
}

static int see_region(struct ring *ring, uint64_t at, bool names)
{
    char bytes[TOLD_TEXT_MAX];
    struct told_region region = {.start = event_address(ring_word(ring, at)),
                                 .length = ring_word(ring, at + (names ? 2 : 1))};
    if (region.length >= BYTES_LIMIT)
        return -EINVAL;
    if (names) {
        region.node = (uint32_t)ring_word(ring, at + 1);
        region.name = text_of(ring, at, bytes);
        if (region.name.size == 0)
            region.name = slice_of("unnamed");
    }
    return session_told_region(ring->session, &region);
}

int ring_told_see(struct ring *ring, uint64_t at)
{
    char bytes[TOLD_TEXT_MAX];
    uint64_t first = ring_word(ring, at);
    enum told_kind kind = told_kind_of(first);
    unsigned fixed = told_fixed_words(kind), words = event_length(first);
    if (fixed == 0 || words < fixed || words - fixed > TOLD_TEXT_MAX / 8)
        return -EINVAL;
    switch (kind) {
    case TOLD_ALLOC:
    case TOLD_FREE:
        return see_block(ring, at, kind == TOLD_ALLOC);
    case TOLD_POOL: {
        uint64_t fills = ring_word(ring, at + 1);
        return session_told_pool(ring->session, (uint32_t)(fills >> 32), (uint32_t)fills,
                                 text_of(ring, at, bytes),
                                 session_time(ring->session, ring->time_ns));
    }
    case TOLD_REGION:
    case TOLD_UNNAME:
        return see_region(ring, at, kind == TOLD_REGION);
    case TOLD_MARK: {
        enum mark_kind mark = (enum mark_kind)(first >> 16 & 15);
        if (mark < MARK_INSTANT || mark > MARK_END)
            return -EINVAL;
        return session_told_mark(ring->session, mark, text_of(ring, at, bytes),
                                 session_time(ring->session, ring->time_ns));
    }
    default:
        return -EINVAL;
    }
}
