/* SPDX-License-Identifier: Apache-2.0 */
#include "page_recording.h"

#include <stdlib.h>

static void must(bool ok)
{
    if (!ok)
        abort();
}

struct page_recording page_recording_create(void)
{
    struct page_recording made = {recording_create(), running_create()};
    must(made.recording && made.running);
    return made;
}

void page_recording_destroy(struct page_recording *made)
{
    running_destroy(made->running);
    recording_destroy(made->recording);
}

uint32_t page_module(struct page_recording *made, const char *path)
{
    struct module const module = {.path = recording_intern(made->recording, path)};
    must(vec_push(&made->recording->modules, module));
    return (uint32_t)made->recording->modules.count - 1;
}

uint32_t page_frame_add(struct page_recording *made, uint32_t module, uint64_t address,
                        const char *symbol, const char *function)
{
    struct recording *recording = made->recording;
    struct frame const frame = {.module = module,
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = symbol != NULL,
                                .address = address};
    struct location const location = {.function = recording_intern(recording, function),
                                      .symbol = symbol ? recording_intern(recording, symbol) : 0};
    must(!symbol || vec_push(&recording->locations, location));
    must(vec_push(&recording->frames, frame));
    return (uint32_t)recording->frames.count - 1;
}

stack_id page_stack(struct page_recording *made, const uint32_t *frames, size_t depth)
{
    stack_id stack = STACK_EMPTY;
    while (depth-- > 0)
        must(stack_table_push(made->recording->stacks, stack, frames[depth], &stack) == 0);
    return stack;
}

void page_book(struct page_recording *made, stack_id stack, enum page_kind kind, int64_t bytes)
{
    uint64_t const at = made->recording->buckets.count * 10;
    struct bucket bucket = {.begin_ns = at, .end_ns = at + 10, .cell_count = 1};
    bucket.cells = calloc(1, sizeof(*bucket.cells));
    must(bucket.cells);
    bucket.cells[0] = (struct cell){stack, (uint16_t)(COL_PAGES_0 + 2 * kind + (bytes < 0)),
                                    bytes < 0 ? -bytes : bytes};
    must(vec_push(&made->recording->buckets, bucket));
    must(running_advance(made->running, made->recording, UINT64_MAX, NULL) == 0);
}
