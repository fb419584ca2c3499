/* page_recording.h - recordings of pages made by hand, for tests of whatever shows them. */
#pragma once

#include "analyze/sums/running.h"
#include "model/memory/page_kind.h"

struct page_recording {
    struct recording *recording;
    struct running *running;
};

struct page_recording page_recording_create(void); /* aborts when out of memory, as all here */
void page_recording_destroy(struct page_recording *made);

uint32_t page_module(struct page_recording *made, const char *path);
/* A frame of a module (or MODULE_NONE), with a name unless `symbol` is NULL; `function` is the
 * name for people. */
uint32_t page_frame_add(struct page_recording *made, uint32_t module, uint64_t address,
                        const char *symbol, const char *function);
/* frames[0] is the innermost. */
stack_id page_stack(struct page_recording *made, const uint32_t *frames, size_t depth);

/* One bucket with one cell: so many bytes of a kind more, or less.  Taken into the sums. */
void page_book(struct page_recording *made, stack_id stack, enum page_kind kind, int64_t bytes);
