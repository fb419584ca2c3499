/* borrowed_thread.h - a stopped thread of another process that runs something for us and is then
 * restored exactly: registers, vector state, signal mask, errno, and the system call in which it
 * waited.
 *
 * It also restores itself if we die at any moment: first of all, its state is stored on its own
 * stack, as the kernel does for a signal handler, and whatever we make it do returns to the
 * instruction that ends a handler.  Signals are blocked meanwhile.  Functions run on a stack of
 * their own. */
#pragma once

#include <sys/user.h>

#include "base/fault.h"
#include "inject/library/module_client.h"
#include "inject/threads/thread_stop.h"

#define BORROWED_VECTOR_MAX 16384u

struct borrowed_thread {
    struct stopped_thread thread;
    pid_t pid;
    const struct remote_memory *memory;
    struct code_spots spots;
    struct user_regs_struct saved;
    uint64_t signal_mask;
    uint8_t vectors[BORROWED_VECTOR_MAX];
    size_t vectors_size;
    uint64_t frame; /* On its own stack. */
    /* The frame through which it goes back if we die: `frame`, or one before it. */
    uint64_t back;
    uint64_t room;    /* Where the scratch memory is to be. */
    uint64_t scratch; /* 0: not made yet. */
    uint64_t errno_at;
    int32_t errno_value;
    bool masked; /* Its signals are blocked. */
};

/* Takes over a thread that was found free.  `modules` tell where its stack ends, and which
 * addresses are unmapped.  Returns 0; -EAGAIN if this moment is not good (in a restartable
 * sequence, too little stack); -ESRCH or -EIO.  After a failure nothing was changed. */
int borrowed_begin(struct borrowed_thread *borrowed, struct stopped_thread thread,
                   const struct module_client *modules, const struct code_spots *spots);

/* Makes the thread call the kernel, before borrowed_make_room.  Returns 0 with *result from the
 * kernel; or -errno of our own with `fault`. */
int borrowed_syscall(struct borrowed_thread *borrowed, long number, const uint64_t arguments[6],
                     int64_t *result, struct fault *fault);

/* Makes a stack for functions, and some memory.  `errno_location` is the address of libc's function
 * of that kind, or 0. */
int borrowed_make_room(struct borrowed_thread *borrowed, uint64_t errno_location,
                       struct fault *fault);
/* Returns the address of memory for arguments, BORROWED_DATA_BYTES. */
uint64_t borrowed_data(const struct borrowed_thread *borrowed);
#define BORROWED_DATA_BYTES 4096u
/* Returns the address of memory for descriptors, and for what the thread must know about them if we
 * die: BORROWED_CELLS_BYTES. */
uint64_t borrowed_cells(const struct borrowed_thread *borrowed);
#define BORROWED_CELLS_BYTES 1024u

/* One thing to do: call a function, or the kernel if `function` is 0. */
struct borrowed_step {
    uint64_t function;
    uint64_t number; /* Of the system call; replaced by the result. */
    uint64_t arguments[6];
};
#define BORROWED_STEPS_MAX 32

/* Makes the thread do several steps in a row.  Returns 0 with the results in `steps`. -ETIMEDOUT:
 * the thread waits for a lock for longer than 10 s; it was released and goes back by itself.
 * -EFAULT: it crashed. -ESRCH: it is gone.  After -ETIMEDOUT and -ESRCH, only borrowed_end may be
 * called. */
int borrowed_run(struct borrowed_thread *borrowed, struct borrowed_step *steps, size_t count,
                 struct fault *fault);

/* Like borrowed_run, for one function of up to three arguments. */
int borrowed_call(struct borrowed_thread *borrowed, uint64_t function, const uint64_t arguments[3],
                  uint64_t *result, struct fault *fault);

/* Sets what the thread itself does before it goes back, if we die: close what we opened.  Replaces
 * the steps that were set before. */
void borrowed_tidy_later(struct borrowed_thread *borrowed, const struct borrowed_step *steps,
                         size_t count);
#define BORROWED_TIDY_MAX 6

/* Returns a step that calls a function of errand_code.h with one argument. */
struct borrowed_step borrowed_errand(const struct borrowed_thread *borrowed,
                                     const uint8_t *function, uint64_t argument);

/* Restores the thread and releases it.  Returns the ns since it was first stopped. */
uint64_t borrowed_end(struct borrowed_thread *borrowed);
