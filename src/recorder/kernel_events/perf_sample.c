/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/perf_sample.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel_events/perf_registers.h"

uint64_t perf_cursor_word(struct perf_cursor *cursor)
{
    uint64_t word = 0;
    if (cursor->end - cursor->at < (ptrdiff_t)sizeof(word)) {
        cursor->at = cursor->end;
        return 0;
    }
    memcpy(&word, cursor->at, sizeof(word));
    cursor->at += sizeof(word);
    return word;
}

void perf_sample_ask(struct perf_event_attr *attributes, uint32_t stack_bytes)
{
    attributes->sample_type |= PERF_SAMPLE_REGS_USER;
    attributes->sample_regs_user = perf_registers_mask;
    if (stack_bytes) {
        attributes->sample_type |= PERF_SAMPLE_STACK_USER;
        attributes->sample_stack_user = stack_bytes;
    }
}

/* Converts registers from perf's order (by number) to the order of DWARF.  The registers of a
 * 32-bit program are of no use. */
static void parse_registers(struct perf_cursor *cursor, uint64_t *registers)
{
    bool const has_registers = perf_cursor_word(cursor) != PERF_SAMPLE_REGS_ABI_NONE;
    memset(registers, 0, REG_COUNT * sizeof(registers[0]));
    for (unsigned i = 0; has_registers && i < REG_COUNT; i++)
        registers[perf_registers_order[i]] = perf_cursor_word(cursor);
}

bool perf_sample_copy(struct perf_cursor *cursor, bool has_stack, struct agent_copy *copy)
{
    parse_registers(cursor, copy->registers);
    copy->size = copy->beyond = copy->below = copy->generation = 0;
    copy->branch = 0;
    if (has_stack) {
        uint64_t const size = perf_cursor_word(cursor);
        if (size > (uint64_t)(cursor->end - cursor->at))
            return false;
        const char *stack = cursor->at;
        cursor->at += size;
        uint64_t const filled = size ? perf_cursor_word(cursor) : 0;
        copy->size = (uint32_t)(filled < size ? filled : size);
        memcpy(copy->bytes, stack, copy->size);
    }
    return copy->registers[REG_IP] != 0;
}

int perf_event_open(struct perf_event_attr *attributes, int pid, int cpu, unsigned long flags)
{
    int const fd =
        (int)syscall(SYS_perf_event_open, attributes, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}
