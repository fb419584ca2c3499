/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/put_back_frame.h"

#include <cpuid.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "machine/registers.h"

#define ALIGNED(x, to) ((x) & ~(uint64_t)((to)-1))
#define CONTEXT_BYTES  (offsetof(ucontext_t, uc_sigmask) + sizeof(uint64_t))
#define FLAGS_PLAIN    0x202u /* interrupts, and the bit that is always set */

/* Bits of uc_flags: the vectors are in the long form; ss is there, and meant. */
#define UC_FP_XSTATE         1u
#define UC_SIGCONTEXT_SS     2u
#define UC_STRICT_RESTORE_SS 4u

/* Where the long form of the vectors says how long it is. */
#define SOFTWARE_BYTES_AT 464u
#define MAGIC1            0x46505853u
#define MAGIC2            0x46505845u
#define HEADER_AT         512u
#define HEADER_BYTES      64u
#define TILE_DATA         18u /* needs a permission that most threads do not have */

struct software_bytes {
    uint32_t magic1, extended_size;
    uint64_t features;
    uint32_t state_size;
    uint32_t padding[7];
};

/* What the kernel says after an interrupted system call; none of it is ever seen by programs. */
#define ERESTARTSYS           512
#define ERESTARTNOINTR        513
#define ERESTARTNOHAND        514
#define ERESTART_RESTARTBLOCK 516

/* Bytes of the vector state that every thread may have. */
static size_t usual_vectors_size(size_t given)
{
    size_t size = HEADER_AT + HEADER_BYTES;
    unsigned low, high, length, offset, flags, unused;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    uint64_t enabled = (uint64_t)high << 32 | low;
    for (unsigned i = 2; i < 63; i++) {
        if (i == TILE_DATA || !(enabled >> i & 1) ||
            !__get_cpuid_count(0xd, i, &length, &offset, &flags, &unused) || (flags & 1))
            continue;
        if (offset + length > size)
            size = offset + length;
    }
    return size <= given ? size : given;
}

static void begin_again(struct user_regs_struct *registers)
{
    if ((int64_t)registers->orig_rax < 0)
        return;
    switch (-(int64_t)registers->rax) {
    case ERESTARTSYS:
    case ERESTARTNOINTR:
    case ERESTARTNOHAND:
    case ERESTART_RESTARTBLOCK:
        /* The end of a handler forgets how long is left: late is better than EINTR. */
        registers->rax = registers->orig_rax;
        registers->rip -= 2;
        break;
    default:
        break;
    }
}

static void fill_context(ucontext_t *context, const struct user_regs_struct *from)
{
    greg_t *to = context->uc_mcontext.gregs;
    const uint64_t in_order[] = {from->r8,  from->r9,  from->r10,   from->r11, from->r12,
                                 from->r13, from->r14, from->r15,   from->rdi, from->rsi,
                                 from->rbp, from->rbx, from->rdx,   from->rax, from->rcx,
                                 from->rsp, from->rip, from->eflags};
    for (size_t i = 0; i < sizeof(in_order) / sizeof(in_order[0]); i++)
        to[i] = (greg_t)in_order[i];
    to[REG_CSGSFS] = (greg_t)((from->cs & 0xffff) | (from->ss & 0xffff) << 48);
    context->uc_flags = UC_FP_XSTATE | UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS;
    /* The kernel refuses this and leaves the thread's alternate stack as it is. */
    context->uc_stack.ss_flags = 0x7ffe;
}

static void fill_vectors(uint8_t *to, const struct put_back_state *state, size_t size)
{
    struct software_bytes software = {MAGIC1, (uint32_t)size + 4, 0, (uint32_t)size, {0}};
    uint32_t magic2 = MAGIC2;
    memcpy(to, state->vectors, size);
    memcpy(&software.features, to + HEADER_AT, sizeof(software.features));
    software.features |= 3; /* x87 and SSE are always there */
    memcpy(to + SOFTWARE_BYTES_AT, &software, sizeof(software));
    memcpy(to + size, &magic2, sizeof(magic2));
}

uint64_t put_back_frame(const struct put_back_state *state, uint64_t put_back,
                        uint8_t bytes[PUT_BACK_MAX], size_t *size)
{
    struct user_regs_struct registers = state->registers;
    ucontext_t context = {0};
    size_t const vectors_size = usual_vectors_size(state->vectors_size);
    uint64_t const top = registers.rsp - RED_ZONE_BYTES;
    uint64_t const vectors = ALIGNED(top - vectors_size - 8, 64);
    uint64_t const frame = ALIGNED(vectors - CONTEXT_BYTES - 8 - sizeof(siginfo_t), 16) - 8;

    if (vectors_size <= HEADER_AT + HEADER_BYTES - 1 || top - frame > PUT_BACK_MAX)
        return 0;
    *size = top - frame;
    memset(bytes, 0, *size);
    begin_again(&registers);
    fill_context(&context, &registers);
    /* An address over there. */
    memcpy(&context.uc_mcontext.fpregs, &vectors, sizeof(vectors));
    memcpy(&context.uc_sigmask, &state->signal_mask, sizeof(state->signal_mask));
    memcpy(bytes, &put_back, sizeof(put_back));
    memcpy(bytes + 8, &context, CONTEXT_BYTES);
    fill_vectors(bytes + (vectors - frame), state, vectors_size);
    return frame;
}

uint64_t last_call_frame(const struct last_call *call, const struct put_back_state *state,
                         uint64_t frame, uint64_t put_back, uint8_t bytes[PUT_BACK_MAX],
                         size_t *size)
{
    struct user_regs_struct const registers = {.rax = call->number,
                                               .rdi = call->arguments[0],
                                               .rsi = call->arguments[1],
                                               .rip = call->call_kernel,
                                               .rsp = frame,
                                               .eflags = FLAGS_PLAIN,
                                               .cs = state->registers.cs,
                                               .ss = state->registers.ss};
    ucontext_t context = {0};
    uint64_t const at = ALIGNED(frame - CONTEXT_BYTES - 8 - sizeof(siginfo_t), 16) - 8;
    *size = frame - at;
    memset(bytes, 0, *size);
    fill_context(&context, &registers);
    context.uc_flags &= ~(unsigned long)UC_FP_XSTATE; /* no vectors: `frame` has them */
    memcpy(&context.uc_sigmask, &state->signal_mask, sizeof(state->signal_mask));
    memcpy(bytes, &put_back, sizeof(put_back));
    memcpy(bytes + 8, &context, CONTEXT_BYTES);
    return at;
}
