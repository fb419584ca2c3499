/* seccomp_filter.h - evaluates a seccomp filter for one system call, without making the call. The
 * recorder uses it before it attaches, the tracer before the program confines itself. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wire/invariant.h"

struct seccomp_machine {
    const struct seccomp_data *call;
    uint32_t a, x;
    uint32_t memory[BPF_MEMWORDS];
    bool failed;
};

static inline uint32_t seccomp_load(struct seccomp_machine *machine, const struct sock_filter *at)
{
    uint32_t value = 0;
    switch (BPF_MODE(at->code)) {
    case BPF_ABS:
        if (at->k % 4 != 0 || at->k > sizeof(*machine->call) - 4)
            machine->failed = true;
        else
            memcpy(&value, (const char *)machine->call + at->k, sizeof(value));
        return value;
    case BPF_IMM:
        return at->k;
    case BPF_LEN:
        return sizeof(*machine->call);
    case BPF_MEM:
        if (at->k < BPF_MEMWORDS)
            return machine->memory[at->k];
        break;
    default:
        break;
    }
    machine->failed = true;
    return 0;
}

static inline void seccomp_store(struct seccomp_machine *machine, const struct sock_filter *at,
                                 uint32_t value)
{
    if (at->k < BPF_MEMWORDS)
        machine->memory[at->k] = value;
    else
        machine->failed = true;
}

static inline void seccomp_calculate(struct seccomp_machine *machine, const struct sock_filter *at)
{
    uint32_t by = BPF_SRC(at->code) == BPF_X ? machine->x : at->k;
    switch (BPF_OP(at->code)) {
    case BPF_ADD:
        machine->a += by;
        break;
    case BPF_SUB:
        machine->a -= by;
        break;
    case BPF_MUL:
        machine->a *= by;
        break;
    case BPF_DIV:
        if (by == 0)
            machine->failed = true;
        else
            machine->a /= by;
        break;
    case BPF_OR:
        machine->a |= by;
        break;
    case BPF_AND:
        machine->a &= by;
        break;
    case BPF_XOR:
        machine->a ^= by;
        break;
    case BPF_LSH:
        machine->a = by < 32 ? machine->a << by : 0;
        break;
    case BPF_RSH:
        machine->a = by < 32 ? machine->a >> by : 0;
        break;
    case BPF_NEG:
        machine->a = -machine->a;
        break;
    default:
        machine->failed = true;
    }
}

/* Returns the number of instructions to skip. */
static inline uint32_t seccomp_jump(struct seccomp_machine *machine, const struct sock_filter *at)
{
    uint32_t with = BPF_SRC(at->code) == BPF_X ? machine->x : at->k;
    bool holds = false;
    switch (BPF_OP(at->code)) {
    case BPF_JA:
        return at->k;
    case BPF_JEQ:
        holds = machine->a == with;
        break;
    case BPF_JGT:
        holds = machine->a > with;
        break;
    case BPF_JGE:
        holds = machine->a >= with;
        break;
    case BPF_JSET:
        holds = (machine->a & with) != 0;
        break;
    default:
        machine->failed = true;
    }
    return holds ? at->jt : at->jf;
}

/* Returns the filter's answer: SECCOMP_RET_... with its data. A filter that the kernel would not
 * have accepted gives SECCOMP_RET_KILL_PROCESS. */
static inline uint32_t seccomp_filter_run(const struct sock_filter *code, size_t length,
                                          const struct seccomp_data *call)
{
    INVARIANT(call && (code || length == 0));
    struct seccomp_machine machine = {.call = call};
    /* Jumps lead forward only, so this ends. */
    for (size_t i = 0; i < length && !machine.failed; i++) {
        const struct sock_filter *at = &code[i];
        switch (BPF_CLASS(at->code)) {
        case BPF_LD:
            machine.a = seccomp_load(&machine, at);
            break;
        case BPF_LDX:
            machine.x = seccomp_load(&machine, at);
            break;
        case BPF_ST:
            seccomp_store(&machine, at, machine.a);
            break;
        case BPF_STX:
            seccomp_store(&machine, at, machine.x);
            break;
        case BPF_ALU:
            seccomp_calculate(&machine, at);
            break;
        case BPF_JMP:
            i += seccomp_jump(&machine, at);
            break;
        case BPF_RET:
            return BPF_RVAL(at->code) == BPF_A ? machine.a : at->k;
        default: /* BPF_MISC: TAX or TXA */
            if (BPF_MISCOP(at->code) == BPF_TAX)
                machine.x = machine.a;
            else
                machine.a = machine.x;
        }
    }
    return SECCOMP_RET_KILL_PROCESS;
}

/* Whether the kernel makes the call with this answer, so that the call has its normal effect. */
static inline bool seccomp_answer_allows(uint32_t answer)
{
    uint32_t action = answer & SECCOMP_RET_ACTION_FULL;
    return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}
