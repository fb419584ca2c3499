/* put_back_frame.h - the kernel's signal frame, made by hand: rt_sigreturn turns it back into
 * the state of a thread.  (ARCHITECTURE/put_back_frame.c) */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

struct put_back_state {
    /* as ptrace gave them, with a system call perhaps to be begun again */
    struct user_regs_struct registers;
    uint64_t signal_mask;
    const uint8_t *vectors; /* of thread_vectors */
    size_t vectors_size;
};

#define PUT_BACK_MAX 16384u

/* Lays the frame out below the thread's stack pointer and red zone.  Its address, or 0 when it
 * does not fit; its bytes, *size of them, in `bytes`.  The thread is as it was after it executes
 * a return with its stack pointer there: that leads to `put_back`, the instructions that call
 * rt_sigreturn. */
uint64_t put_back_frame(const struct put_back_state *state, uint64_t put_back,
                        uint8_t bytes[PUT_BACK_MAX], size_t *size);

/* A system call that a thread is to make before it goes back. */
struct last_call {
    uint64_t number, arguments[2];
    uint64_t call_kernel; /* calls the kernel, and returns */
};
/* A frame below another one, `frame`: a return with the stack pointer there makes the call, and
 * goes on with `frame`.  `state` has the segments, and the signals that wait meanwhile. */
uint64_t last_call_frame(const struct last_call *call, const struct put_back_state *state,
                         uint64_t frame, uint64_t put_back, uint8_t bytes[PUT_BACK_MAX],
                         size_t *size);
