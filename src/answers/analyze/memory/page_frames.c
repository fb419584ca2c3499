/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/page_frames.h"

#include <errno.h>
#include <string.h>

#include "analyze/trees/shown_frame.h"
#include "base/hash.h"

void page_frames_fini(struct page_frames *frames)
{
    vec_free(&frames->items);
    vec_free(&frames->of_frame);
    number_map_fini(&frames->by_hash);
}

/* The function that has an address of its own is the last of a frame's locations. */
static const struct location *real_location(const struct recording *recording,
                                            const struct frame *frame)
{
    uint64_t const end = (uint64_t)frame->first_location + frame->location_count;
    if (!frame->location_count || end > recording->locations.count)
        return NULL;
    return &recording->locations.items[end - 1];
}

static struct page_frame describe(const struct recording *recording, uint32_t index)
{
    struct page_frame described = {.frame = UINT32_MAX};
    if (index >= recording->frames.count)
        return described;
    const struct frame *frame = &recording->frames.items[index];
    const struct location *location = real_location(recording, frame);
    described.frame = index;
    if (location) {
        described.function = location->function;
        described.symbol = location->symbol;
    }
    if (frame->module < recording->modules.count) {
        described.path = recording->modules.items[frame->module].path;
        described.address = frame->address;
    }
    return described;
}

static bool is_same(const struct page_frame *left, const struct page_frame *right)
{
    return left->path == right->path && left->address == right->address &&
           (left->path || left->function == right->function);
}

static uint64_t hash_frame(const struct page_frame *frame)
{
    uint64_t const name = frame->path ? frame->path : (uint64_t)frame->function << 32;
    return hash_mix(frame->address ^ hash_mix(name));
}

/* A name may be known for a later frame of the same place only. */
static void learn(struct page_frame *known, const struct page_frame *seen)
{
    if (known->function || !seen->function)
        return;
    known->function = seen->function;
    known->symbol = seen->symbol;
    known->frame = seen->frame;
}

static int64_t intern(struct page_frames *frames, const struct page_frame *seen)
{
    for (uint64_t key = hash_frame(seen);; key++) {
        uint32_t *index = number_map_at(&frames->by_hash, key ? key : ++key);
        if (!index)
            return -ENOMEM;
        if (!*index) {
            if (!vec_push(&frames->items, *seen))
                return -ENOMEM;
            *index = (uint32_t)frames->items.count;
            return *index - 1;
        }
        struct page_frame *known = &frames->items.items[*index - 1];
        if (is_same(known, seen)) {
            learn(known, seen);
            return *index - 1;
        }
    }
}

int64_t page_frames_find(struct page_frames *frames, uint32_t frame)
{
    bool const is_there = frame < frames->recording->frames.count;
    if (is_there) {
        size_t const known = frames->of_frame.count;
        if (frame >= known) {
            if (!vec_reserve(&frames->of_frame, frames->recording->frames.count - known))
                return -ENOMEM;
            frames->of_frame.count = frames->recording->frames.count;
            memset(frames->of_frame.items + known, 0,
                   (frames->of_frame.count - known) * sizeof(frames->of_frame.items[0]));
        }
        if (frames->of_frame.items[frame])
            return frames->of_frame.items[frame] - 1;
    }
    struct page_frame const seen = describe(frames->recording, frame);
    int64_t const index = intern(frames, &seen);
    if (is_there && index >= 0)
        frames->of_frame.items[frame] = (uint32_t)index + 1;
    return index;
}

int page_frame_compare(const struct recording *recording, const struct page_frame *left,
                       const struct page_frame *right)
{
    uint32_t const a = (uint32_t)left->address, b = (uint32_t)right->address;
    if (a != b)
        return a < b ? -1 : 1;
    int const files = strcmp(path_basename(recording_text(recording, left->path)),
                             path_basename(recording_text(recording, right->path)));
    return files ? files
                 : strcmp(recording_text(recording, left->function),
                          recording_text(recording, right->function));
}
