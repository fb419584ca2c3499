/* perf_sample.h - decodes samples of perf events: 64-bit words one after the other, and at the end
 * the registers and the stack of the thread. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/agent.h"

/* The part of a record that is not decoded yet. */
struct perf_cursor {
    const char *at, *end;
};

/* Reads the next 64 bits and moves on; 0 past the end. */
uint64_t perf_cursor_word(struct perf_cursor *cursor);

/* Sets `attributes` so that samples end with the registers and, unless `stack_bytes` is 0, with
 * that many bytes of the stack. */
void perf_sample_ask(struct perf_event_attr *attributes, uint32_t stack_bytes);

/* Decodes registers and stack at the end of a sample; `has_stack` says whether perf_sample_ask
 * requested a stack.  Fills registers, size and bytes of *copy, zeroes the rest but for
 * `copy->record`, which does not change.  *copy must have room for PERF_RECORD_BYTES.  false if the
 * sample has no user registers, because the thread belongs to the kernel, or is cut short. */
bool perf_sample_copy(struct perf_cursor *cursor, bool has_stack, struct agent_copy *copy);

/* Calls perf_event_open(2), close-on-exec and without a group.  A descriptor or -errno. */
int perf_event_open(struct perf_event_attr *attributes, int pid, int cpu, unsigned long flags);
