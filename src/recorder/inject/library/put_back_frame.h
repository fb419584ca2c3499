/* put_back_frame.h - makes a signal frame like that of the kernel, from which rt_sigreturn restores
 * the state of a thread.  (In ARCHITECTURE/put_back_frame.c.) */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

struct put_back_state {
    /* As ptrace gave them, perhaps with a system call that is to be restarted. */
    struct user_regs_struct registers;
    uint64_t signal_mask;
    const uint8_t *vectors; /* From thread_vectors. */
    size_t vectors_size;
};

#define PUT_BACK_MAX 16384u

/* Makes the frame for the place below the thread's stack pointer and red zone.  Returns its
 * address, or 0 if it does not fit; `bytes` has its *size bytes.  If the thread executes a return
 * instruction with its stack pointer there, it continues at `put_back`, the instructions that call
 * rt_sigreturn, and then is as it was. */
uint64_t put_back_frame(const struct put_back_state *state, uint64_t put_back,
                        uint8_t bytes[PUT_BACK_MAX], size_t *size);

/* A system call that a thread is to make before it goes back. */
struct last_call {
    uint64_t number, arguments[2];
    uint64_t call_kernel; /* Calls the kernel, and returns. */
};
/* Makes a frame below another one, `frame`: a return with the stack pointer there makes the call,
 * then continues with `frame`.  `state` has the segments, and the signals that are blocked
 * meanwhile. */
uint64_t last_call_frame(const struct last_call *call, const struct put_back_state *state,
                         uint64_t frame, uint64_t put_back, uint8_t bytes[PUT_BACK_MAX],
                         size_t *size);
