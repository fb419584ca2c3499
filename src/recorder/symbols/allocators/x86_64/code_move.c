/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/allocators/code_move.h"

#include <Zydis/Zydis.h>
#include <errno.h>

struct instruction {
    ZydisDecodedInstruction decoded;
    uint64_t address, next; /* where it is, and what follows it */
    const char *bytes;
};

/* false when there is none. */
static bool decode(struct slice code, size_t at, uint64_t address, struct instruction *out)
{
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (at >= code.size || !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
                               &decoder, ZYAN_NULL, code.data + at, code.size - at, &out->decoded)))
        return false;
    out->bytes = code.data + at;
    out->address = address + at;
    out->next = out->address + out->decoded.length;
    return true;
}

static bool is_branch(const struct instruction *one)
{
    return (one->decoded.attributes & ZYDIS_ATTRIB_IS_RELATIVE) &&
           one->decoded.raw.imm[0].is_relative;
}

static uint64_t target_of(const struct instruction *one)
{
    return one->next + (uint64_t)one->decoded.raw.imm[0].value.s;
}

/* The operand is memory at a distance from the next instruction. */
static bool is_rip_relative(const struct instruction *one)
{
    const ZydisDecodedInstruction *decoded = &one->decoded;
    return (decoded->attributes & ZYDIS_ATTRIB_HAS_MODRM) && decoded->raw.modrm.mod == 0 &&
           decoded->raw.modrm.rm == 5 && decoded->raw.disp.size == 32;
}

static bool is_padding(const struct instruction *one)
{
    return one->decoded.mnemonic == ZYDIS_MNEMONIC_NOP ||
           one->decoded.mnemonic == ZYDIS_MNEMONIC_INT3;
}

/* What comes after it does so by a branch, or by the return address that was pushed. */
static bool is_last(const struct instruction *one)
{
    return one->decoded.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
           one->decoded.meta.category == ZYDIS_CATEGORY_CALL ||
           one->decoded.meta.category == ZYDIS_CATEGORY_RET;
}

static bool put(struct code_moved *moved, const void *bytes, size_t size)
{
    if (size > sizeof(moved->bytes) - moved->size)
        return false;
    memcpy(moved->bytes + moved->size, bytes, size);
    moved->size += size;
    return true;
}

/* The distance as an instruction has it; false when it does not fit. */
static bool distance(uint64_t next, uint64_t target, int32_t *out)
{
    int64_t far = (int64_t)(target - next);
    *out = (int32_t)far;
    return far == *out;
}

static bool put_far(struct code_moved *moved, uint64_t to, struct slice opcode, uint64_t target)
{
    int32_t far;
    return distance(to + moved->size + opcode.size + 4, target, &far) &&
           put(moved, opcode.data, opcode.size) && put(moved, &far, sizeof(far));
}

/* lea -8(%rsp), %rsp; movl $.., (%rsp); movl $.., 4(%rsp): flags and registers stay as they are. */
static bool put_push(struct code_moved *moved, uint64_t value)
{
    uint8_t bytes[20] = {0x48, 0x8d, 0x64, 0x24, 0xf8, 0xc7, 0x04, 0x24,
                         0,    0,    0,    0,    0xc7, 0x44, 0x24, 0x04};
    memcpy(bytes + 8, &value, 4);
    memcpy(bytes + 16, (const char *)&value + 4, 4);
    moved->pushes = true;
    return put(moved, bytes, sizeof(bytes));
}

/* A branch in its long form. */
static const char *put_branch(struct code_moved *moved, uint64_t to, const struct instruction *one)
{
    static const char no_long_form[] = "it begins with a branch that has no long form";
    uint8_t opcode[2] = {0xe9, 0};
    unsigned code = one->decoded.opcode;
    struct slice bytes = {(const char *)opcode, 1};
    if (one->decoded.raw.imm[0].size == 16) /* processors differ in what they make of it */
        return no_long_form;
    if (one->decoded.mnemonic == ZYDIS_MNEMONIC_CALL) {
        if (!put_push(moved, one->next))
            return "it is too long";
    } else if (one->decoded.meta.category == ZYDIS_CATEGORY_COND_BR) {
        bool far = (code & 0xf0) == 0x80 && one->decoded.opcode_map == ZYDIS_OPCODE_MAP_0F;
        bool near = (code & 0xf0) == 0x70 && one->decoded.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
        if (!far && !near)
            return no_long_form;
        opcode[0] = 0x0f;
        opcode[1] = (uint8_t)(0x80 | (code & 15));
        bytes.size = 2;
    } else if (code != 0xe9 && code != 0xeb) {
        return no_long_form;
    }
    return put_far(moved, to, bytes, target_of(one)) ? NULL : "its branch leads too far";
}

static const char *put_plain(struct code_moved *moved, uint64_t to, const struct instruction *one)
{
    int32_t far;
    bool call = one->decoded.meta.category == ZYDIS_CATEGORY_CALL;
    if (call && (!is_rip_relative(one) || one->decoded.opcode != 0xff || one->decoded.length != 6))
        return "it begins with a call through a register";
    if (call && !put_push(moved, one->next))
        return "it is too long";
    size_t at = moved->size;
    if (one->decoded.mnemonic == ZYDIS_MNEMONIC_INT3)
        return "there is a breakpoint in it";
    if (!put(moved, one->bytes, one->decoded.length))
        return "it is too long";
    if (!is_rip_relative(one))
        return NULL;
    if (one->decoded.address_width != 64)
        return "it begins with a 32-bit address";
    uint64_t target = one->next + (uint64_t)one->decoded.raw.disp.value;
    if (!distance(to + moved->size, target, &far))
        return "its data is too far away";
    memcpy(moved->bytes + at + one->decoded.raw.disp.offset, &far, sizeof(far));
    if (call)
        moved->bytes[at + 1] = 0x25; /* jmp instead of call */
    return NULL;
}

/* What is left of the bytes that a jump needs, after the function's last instruction, must be
 * padding. */
static bool only_padding(const struct code_function *function, size_t at)
{
    struct instruction one;
    for (; at < CODE_JUMP; at += one.decoded.length) {
        if (!decode(function->code, at, function->address, &one) || !is_padding(&one))
            return false;
    }
    return true;
}

/* The function ended, or branched away for good, with what was copied last.  NULL, or what
 * stands in the way. */
static const char *end_early(const struct code_function *function, struct code_moved *moved)
{
    if (moved->stolen >= CODE_JUMP)
        return NULL;
    if (moved->stolen < function->size)
        return "it branches away at once";
    if (!only_padding(function, moved->stolen))
        return "it is too short";
    moved->stolen = CODE_JUMP;
    return NULL;
}

/* Copies instructions until the jump has room.  NULL, or what stands in the way. */
static const char *copy(const struct code_function *function, uint64_t to, struct code_moved *moved)
{
    struct instruction one;
    while (moved->stolen < CODE_JUMP) {
        if (moved->stolen >= function->size)
            return "it is too short";
        if (!decode(function->code, moved->stolen, function->address, &one) ||
            moved->stolen + one.decoded.length > function->size)
            return "its code cannot be read";
        const char *why =
            is_branch(&one) ? put_branch(moved, to, &one) : put_plain(moved, to, &one);
        if (why)
            return why;
        moved->stolen += one.decoded.length;
        if (is_last(&one))
            return end_early(function, moved);
    }
    struct slice jump = {"\xe9", 1};
    return put_far(moved, to, jump, function->address + moved->stolen) ? NULL
                                                                       : "there is no room near it";
}

int code_move(const struct code_function *function, uint64_t to, struct code_moved *moved,
              const char **why)
{
    *moved = (struct code_moved){0};
    *why = copy(function, to, moved);
    if (*why)
        return -EINVAL;
    struct slice body = function->code;
    if (body.size > function->size)
        body.size = function->size;
    if (code_branches_between(body, function->address, function->address,
                              function->address + moved->stolen)) {
        *why = "it branches back to its beginning";
        return -EINVAL;
    }
    return 0;
}

bool code_branches_between(struct slice code, uint64_t address, uint64_t low, uint64_t high)
{
    struct instruction one;
    for (size_t at = 0; at < code.size; at += one.decoded.length) {
        if (!decode(code, at, address, &one))
            return true;
        if (is_branch(&one) && target_of(&one) > low && target_of(&one) < high)
            return true;
    }
    return false;
}
