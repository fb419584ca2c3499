/* record.h - one call per thing that can happen to memory; hooks do nothing else.
 * All are called between tracer_enter and tracer_leave. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

void record_alloc(void *block, size_t size, void *hook_frame);
void record_free(void *block);

/* realloc: before the real call, and after it.  `began` is what the first one returned. */
bool record_move(void *block);
void record_moved(bool began, void *block, size_t size, void *hook_frame);

void record_map(void *address, size_t length, void *hook_frame);
bool record_unmap(void *address, size_t length);
void record_unmapped(bool began, bool done);
