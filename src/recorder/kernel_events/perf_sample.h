/* perf_sample.h - samples of perf events as the kernel writes them: words one after the other, and at their end the registers
 * and the stack of the thread. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/agent.h"

/* What is left of a record. */
struct perf_cursor {
    const char *at, *end;
};

/* Takes 64 bits off the front; 0 past the end. */
uint64_t perf_cursor_word(struct perf_cursor *cursor);

/* Has the event's samples end with registers and, unless `stack_bytes` is 0, so much of the stack. */
void perf_sample_ask(struct perf_event_attr *attributes, uint32_t stack_bytes);

/* Reads them from the end of a sample; `has_stack` as they were asked for.  Fills registers, size and bytes of *copy, whose record
 * is left alone, and which has room for PERF_RECORD_BYTES.  false when there are none: a thread of the kernel's. */
bool perf_sample_copy(struct perf_cursor *cursor, bool has_stack, struct agent_copy *copy);

int perf_event_open(struct perf_event_attr *attributes, int pid, int cpu, unsigned long flags);
