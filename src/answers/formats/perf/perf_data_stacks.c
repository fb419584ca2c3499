/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_stacks.h"

#include <errno.h>

#define CONTEXT_FIRST ((uint64_t)PERF_CONTEXT_MAX) /* words from here on are marks */
#define ABI_64        2u
#define BRANCH_BYTES  24u
#define PERF_IP       8u /* in perf's numbers of registers */
#define PERF_SP       7u

/* The mode that a mark announces, as misc tells it. */
static unsigned mode_of_mark(uint64_t mark)
{
    switch (mark) {
    case (uint64_t)PERF_CONTEXT_KERNEL:
        return PERF_RECORD_MISC_KERNEL;
    case (uint64_t)PERF_CONTEXT_USER:
        return PERF_RECORD_MISC_USER;
    default:
        return PERF_RECORD_MISC_HYPERVISOR; /* or a guest: nobody we could name */
    }
}

/* Into the list of frames, outer ones of a chain that is too long over each other: at most the
 * last is wrong. */
static void push(uint64_t *frames, uint32_t *count, uint64_t address)
{
    if (*count < STACK_FRAMES_MAX)
        frames[(*count)++] = address;
}

/* Splits the chain.  The first address of each mode is where the thread was, the others are
 * where calls return to. */
static void split_chain(struct perf_stacks *stacks, unsigned mode, const struct perf_sample *sample,
                        uint32_t *inside_count)
{
    struct stack_walk *walk = &stacks->walk;
    bool is_first = true;
    for (size_t i = 0; i < sample->chain_count; i++) {
        uint64_t const word = perf_word(sample->chain + 8 * i);
        if (word >= CONTEXT_FIRST) {
            mode = mode_of_mark(word);
            is_first = true;
            continue;
        }
        uint64_t const address = word - (is_first || word == 0 ? 0 : 1);
        is_first = false;
        if (mode == PERF_RECORD_MISC_KERNEL)
            push(stacks->inside, inside_count, address);
        else if (mode == PERF_RECORD_MISC_USER)
            push(walk->frames, &walk->frame_count, address);
    }
}

/* The processor's own record of calls: where each was made from, innermost first. */
static void copy_calls(struct stack_walk *walk, unsigned mode, const struct perf_sample *sample)
{
    walk->frame_count = 0;
    push(walk->frames, &walk->frame_count,
         mode == PERF_RECORD_MISC_USER ? sample->ip : perf_word(sample->branches + 8));
    for (size_t i = 0; i < sample->branch_count; i++)
        push(walk->frames, &walk->frame_count, perf_word(sample->branches + BRANCH_BYTES * i));
}

/* From perf's numbers of registers to those of DWARF.  false when those that matter are missing. */
static bool copy_registers(const struct perf_sample *sample, uint64_t registers[REG_COUNT])
{
    static const int8_t numbers[24] = {0,  3,  2,  1,  4, 5, 6,  7,  16, -1, -1, -1,
                                       -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8_t *at = sample->registers;
    memset(registers, 0, REG_COUNT * sizeof(registers[0]));
    for (unsigned i = 0; i < 64; i++) {
        if (!(sample->register_mask >> i & 1))
            continue;
        if (i < sizeof(numbers) && numbers[i] >= 0)
            registers[numbers[i]] = perf_word(at);
        at += 8;
    }
    return (sample->register_mask >> PERF_IP & 1) && (sample->register_mask >> PERF_SP & 1);
}

/* Walks the copy of the stack, unless the chain knows more already. */
static void walk_copy(struct perf_stacks *stacks, struct perf_process *process,
                      const struct perf_sample *sample)
{
    uint64_t registers[REG_COUNT];
    if (sample->abi == 0 || !sample->registers || stacks->walk.frame_count > 1)
        return;
    if (sample->abi != ABI_64 || stacks->cannot_walk || !copy_registers(sample, registers)) {
        stacks->unwalked++;
        return;
    }
    struct stack_copy const copy = {.registers = registers,
                                    .start = registers[7],
                                    .bytes = sample->stack,
                                    .size = sample->stack_size};
    stack_walk(process->code, &copy, &stacks->walk);
    stacks->walked++;
    stacks->recording->quality.stack_ends[stacks->walk.end]++;
}

/* The user's side of the stack, into stacks->walk, and the kernel's: how many frames. */
static uint32_t find_frames(struct perf_stacks *stacks, struct perf_process *process,
                            const struct perf_event_attr *attr, uint16_t misc,
                            const struct perf_sample *sample)
{
    unsigned const mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
    uint32_t inside = 0;
    stacks->walk.frame_count = 0;
    split_chain(stacks, mode, sample, &inside);
    if (inside == 0 && stacks->walk.frame_count == 0 && attr->sample_type & PERF_SAMPLE_IP) {
        if (mode == PERF_RECORD_MISC_KERNEL)
            push(stacks->inside, &inside, sample->ip);
        else if (mode == PERF_RECORD_MISC_USER)
            push(stacks->walk.frames, &stacks->walk.frame_count, sample->ip);
    }
    if (sample->branch_count > 0 && attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
        copy_calls(&stacks->walk, mode, sample);
    else if (attr->sample_type & PERF_SAMPLE_STACK_USER)
        walk_copy(stacks, process, sample);
    return inside;
}

/* Neither side is known: a sample without an address, or of a guest. */
static int put_unknown(struct perf_stacks *stacks, stack_id below, stack_id *stack)
{
    struct recording *recording = stacks->recording;
    uint32_t frame;
    uint32_t *known = number_map_at(&stacks->kernel->frames, UINT64_MAX);
    stack_id ignored;
    if (!known)
        return -ENOMEM;
    if (*known == 0) {
        if (recording_name_stack(recording, recording_intern(recording, "[unknown]"), &ignored) < 0)
            return -ENOMEM;
        *known = (uint32_t)recording->frames.count;
    }
    frame = *known - 1;
    return stack_table_push(recording->stacks, below, frame, stack);
}

int perf_stacks_put(struct perf_stacks *stacks, struct perf_process *process,
                    const struct perf_event_attr *attr, uint16_t misc,
                    const struct perf_sample *sample, stack_id *stack)
{
    struct interned_stack interned = {.stack = process->root};
    uint32_t inside = find_frames(stacks, process, attr, misc, sample);
    uint32_t frame = 0;
    int err = 0;
    if (inside == 0 && stacks->walk.frame_count == 0)
        return put_unknown(stacks, process->root, stack);
    if (stacks->walk.frame_count > 0)
        err = stack_intern_put_on(stacks->intern, process->code, &stacks->walk, process->root,
                                  &interned);
    stacks->recording->quality.collapsed_stacks += interned.folded;
    bool const ends_inside = inside > 0;
    while (inside > 0 && err == 0) {
        err = perf_kernel_frame(stacks->kernel, stacks->inside[--inside], &frame);
        if (err == 0)
            err =
                stack_table_push(stacks->recording->stacks, interned.stack, frame, &interned.stack);
    }
    stacks->in_kernel += ends_inside;
    if (ends_inside && err == 0)
        stacks->kernel_unnamed += stacks->recording->frames.items[frame].location_count == 0;
    *stack = interned.stack;
    return err;
}
