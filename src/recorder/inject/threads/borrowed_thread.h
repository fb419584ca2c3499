/* borrowed_thread.h - a stopped thread of another process that runs something for us and is then
 * put back exactly where it was: registers, vector state, signal mask, errno, and the system
 * call it was waiting in.
 *
 * It also puts itself back should we die at any moment: before anything else, the state it was
 * in is laid on its own stack as the kernel lays it there for a signal handler, and whatever we
 * make it do returns into the instruction that ends a handler.  Signals wait meanwhile.
 * Functions run on a stack of their own. */
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
    uint64_t frame; /* on its own stack */
    /* the frame that it goes back through, should we be gone; that, or one before it */
    uint64_t back;
    uint64_t room;    /* where the scratch memory is to be */
    uint64_t scratch; /* 0: not made yet */
    uint64_t errno_at;
    int32_t errno_value;
    bool masked; /* its signals wait */
};

/* Takes over a thread that was found free.  `modules` tell where its stack ends, and
 * where nothing is.  0, -EAGAIN when this moment is not good (in a restartable sequence, too
 * little stack), -ESRCH, -EIO; then nothing was changed. */
int borrowed_begin(struct borrowed_thread *borrowed, struct stopped_thread thread,
                   const struct module_client *modules, const struct code_spots *spots);

/* Makes it call the kernel, before there is room for more.  0 with *result as the kernel gives
 * it, -errno of ours with `fault`. */
int borrowed_syscall(struct borrowed_thread *borrowed, long number, const uint64_t arguments[6],
                     int64_t *result, struct fault *fault);

/* A stack for functions, and some memory.  `errno_location` is libc's function of that name, or
 * 0. */
int borrowed_make_room(struct borrowed_thread *borrowed, uint64_t errno_location,
                       struct fault *fault);
/* Memory for arguments: BORROWED_DATA_BYTES at this address. */
uint64_t borrowed_data(const struct borrowed_thread *borrowed);
#define BORROWED_DATA_BYTES 4096u
/* Memory for descriptors and what is to be known of them when we are gone: BORROWED_CELLS_BYTES
 * at this address. */
uint64_t borrowed_cells(const struct borrowed_thread *borrowed);
#define BORROWED_CELLS_BYTES 1024u

/* One thing to do: call a function, or the kernel when `function` is 0. */
struct borrowed_step {
    uint64_t function;
    uint64_t number; /* of the system call; becomes the result */
    uint64_t arguments[6];
};
#define BORROWED_STEPS_MAX 32

/* Makes it do several things in a row.  0 with the results in `steps`.  -ETIMEDOUT: it waits for
 * a lock for longer than 10 s; it was let go and comes back by itself.  -EFAULT: it crashed in
 * there.  -ESRCH: it is gone.  After -ETIMEDOUT and -ESRCH nothing but borrowed_end may be
 * called. */
int borrowed_run(struct borrowed_thread *borrowed, struct borrowed_step *steps, size_t count,
                 struct fault *fault);

/* The same for one function of up to three arguments. */
int borrowed_call(struct borrowed_thread *borrowed, uint64_t function, const uint64_t arguments[3],
                  uint64_t *result, struct fault *fault);

/* What the thread itself must do before it goes back, should we be gone by then: close what we
 * opened.  Replaces what was said before. */
void borrowed_tidy_later(struct borrowed_thread *borrowed, const struct borrowed_step *steps,
                         size_t count);
#define BORROWED_TIDY_MAX 6

/* A step that calls a function of errand_code.h with one argument. */
struct borrowed_step borrowed_errand(const struct borrowed_thread *borrowed,
                                     const uint8_t *function, uint64_t argument);

/* Puts it back and lets it go.  The ns since it was first stopped. */
uint64_t borrowed_end(struct borrowed_thread *borrowed);
