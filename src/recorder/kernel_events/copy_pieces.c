/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/copy_pieces.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (AGENT_PIECE_BYTES * AGENT_PIECES_MAX)

static uint32_t lane_of(uint32_t number)
{
    return number & ((1u << AGENT_COPY_CPU_BITS) - 1);
}

void copy_pieces_add(struct copy_pieces *pieces, const struct agent_copy *piece)
{
    uint32_t const at = lane_of(piece->record.stack);
    while (pieces->lanes.count <= at)
        if (!vec_push(&pieces->lanes, (struct copy_lane){.number = 0}))
            return;
    struct copy_lane *lane = &pieces->lanes.items[at];
    if (lane->number != piece->record.stack ||
        lane->start + lane->bytes.count != piece->record.address) {
        lane->number = piece->record.stack;
        lane->start = piece->record.address;
        lane->bytes.count = 0;
    }
    if (lane->bytes.count + piece->size > BYTES_MAX || !vec_reserve(&lane->bytes, piece->size))
        return;
    memcpy(lane->bytes.items + lane->bytes.count, piece->bytes, piece->size);
    lane->bytes.count += piece->size;
}

const struct agent_copy *copy_pieces_join(struct copy_pieces *pieces, const struct agent_copy *copy)
{
    uint32_t const at = lane_of(copy->record.stack);
    const struct copy_lane *lane = at < pieces->lanes.count ? &pieces->lanes.items[at] : NULL;
    if (!lane || lane->number != copy->record.stack || lane->bytes.count == 0 ||
        lane->start != copy->registers[REG_SP] - copy->below + copy->size)
        return copy;
    size_t const inner = sizeof(*copy) + copy->size;
    size_t const words = (inner + lane->bytes.count + 7) / 8;
    pieces->whole.count = 0;
    if (!vec_reserve(&pieces->whole, words))
        return copy;
    struct agent_copy *whole = (struct agent_copy *)pieces->whole.items;
    memcpy(whole, copy, inner);
    memcpy((uint8_t *)whole + inner, lane->bytes.items, lane->bytes.count);
    whole->size = copy->size + (uint32_t)lane->bytes.count;
    return whole;
}

void copy_pieces_fini(struct copy_pieces *pieces)
{
    vec_each (lane, &pieces->lanes)
        vec_free(&lane->bytes);
    vec_free(&pieces->lanes);
    vec_free(&pieces->whole);
}
