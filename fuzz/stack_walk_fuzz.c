/* SPDX-License-Identifier: Apache-2.0 */
/* stack_walk_fuzz.c - any bytes as a file's unwind tables, and any bytes as the stack of a
 * thread in its code.
 *
 * The input is 17 registers of 8 bytes, two bytes for the size of the stack, the stack, and the
 * file.  The file lies at CODE, code made at run time at MADE, nothing elsewhere: this takes the
 * place of process_code.c. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/code_tables.h"
#include "stacks/stack_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CODE  0x10000ull
#define MADE  0x7fff00000000ull
#define ROOM  0x1000000ull
#define STACK 0x7ffe00000000ull
#define RBP   6
#define RSP   7
#define RIP   16

struct process_code {
    struct code_tables tables;
    bool has_tables;
    struct code_region file, made;
};

static struct process_code code;

const struct code_region *process_code_find(struct process_code *in, uint64_t address)
{
    if (address - CODE < ROOM)
        return &in->file;
    return address - MADE < ROOM ? &in->made : NULL;
}

bool process_code_refresh_if_due(struct process_code *in)
{
    (void)in;
    return false;
}

uint64_t process_code_rule(struct process_code *in, uint64_t address)
{
    const struct code_region *region = process_code_find(in, address);
    if (!region)
        return rule_make(RULE_NONE, 0, 0, 0);
    return region->tables ? code_tables_rule(region->tables, address - region->bias, 1)
                          : rule_make(RULE_MISSING, 0, 0, 1);
}

int process_code_row(struct process_code *in, uint64_t address, struct unwind_row *row)
{
    const struct code_region *region = process_code_find(in, address);
    if (!region || !region->tables)
        return -ENOENT;
    return code_tables_row(region->tables, address - region->bias, row);
}

bool process_code_bytes(const struct process_code *in, uint64_t address, void *to, size_t size)
{
    (void)in;
    memset(to, address % 3 ? 0x55 : 0xc3, size);
    return address % 5 != 0;
}

struct bytes {
    const uint8_t *data;
    size_t size;
};

static size_t read_bytes(void *context, uint64_t offset, void *to, size_t size)
{
    const struct bytes *bytes = context;
    if (offset >= bytes->size)
        return 0;
    if (size > bytes->size - offset)
        size = bytes->size - offset;
    memcpy(to, bytes->data + offset, size);
    return size;
}

static void open_code(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct image_source const source = {.read = read_bytes, .context = &bytes, .size = size};
    (void)code_identity(&source);
    code.has_tables = code_tables_init(&code.tables, &source) == 0;
    code.file = (struct code_region){.start = CODE, .bias = CODE, .is_prepared = true};
    code.made = (struct code_region){.start = MADE, .kind = CODE_MADE, .is_prepared = true};
    if (code.has_tables) {
        uint64_t bias;
        (void)code_tables_bias(&code.tables, CODE, 0, &bias);
        code.file.tables = &code.tables;
    }
}

static void expect(bool condition)
{
    if (!condition)
        abort();
}

static bool is_listed(const struct stack_walk *walk, uint32_t count, uint64_t address)
{
    for (uint32_t i = 0; i < count; i++)
        if (walk->words[i].address == address)
            return true;
    return false;
}

/* Each once, and as the stack or rbp has it. */
static void check_words(const struct stack_copy *copy, const struct stack_walk *walk)
{
    expect(walk->frame_count >= 1 && walk->frame_count <= STACK_FRAMES_MAX);
    for (uint32_t i = 0; i < walk->word_count; i++) {
        const struct stack_word *word = &walk->words[i];
        uint64_t value = copy->registers[RBP];
        expect(!is_listed(walk, i, word->address));
        if (word->address != STACK_WORD_FP) {
            expect(word->address - copy->start <= copy->size - 8);
            memcpy(&value, copy->bytes + (word->address - copy->start), 8);
        }
        expect(value == word->value);
    }
}

static void walk_stack(uint64_t *registers, uint8_t *bytes, size_t size)
{
    static struct stack_walk first, again;
    struct stack_copy const copy = {registers, STACK, bytes, size};
    registers[RSP] = STACK;
    registers[RIP] = CODE + registers[RIP] % 0x4000;
    stack_walk(&code, &copy, &first);
    check_words(&copy, &first);
    /* A word that it does not rest on makes no difference. */
    for (size_t at = 0; at + 8 <= size && at < 128; at += 8) {
        if (is_listed(&first, first.word_count, STACK + at) || first.not_repeatable)
            continue;
        bytes[at] ^= 0x18;
        stack_walk(&code, &copy, &again);
        expect(again.frame_count == first.frame_count && again.end == first.end &&
               memcmp(again.frames, first.frames, 8 * first.frame_count) == 0);
        bytes[at] ^= 0x18;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t registers[REG_COUNT];
    if (size < sizeof(registers) + 2)
        return 0;
    memcpy(registers, data, sizeof(registers));
    data += sizeof(registers);
    size -= sizeof(registers);
    size_t stack_size = (size_t)(data[0] | data[1] << 8);
    data += 2;
    size -= 2;
    if (stack_size > size)
        stack_size = size;
    uint8_t *stack = malloc(stack_size + 1);
    if (!stack)
        return 0;
    memcpy(stack, data, stack_size);
    open_code(data + stack_size, size - stack_size);
    walk_stack(registers, stack, stack_size);
    if (code.has_tables)
        code_tables_fini(&code.tables);
    free(stack);
    return 0;
}
