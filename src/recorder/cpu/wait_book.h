/* wait_book.h - threads that do not run, since when, and with which stack they stopped.
 *
 * A thread is known by its TID from its first event until it ends.  There are at most
 * WAIT_THREADS_MAX; further threads are only counted.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "base/number_map.h"
#include "base/vec.h"
#include "wire/agent.h"

#define WAIT_THREADS_MAX 65536u

struct wait_thread {
    uint32_t pid, tid;
    uint64_t since_ns;   /* Of the part of the wait that was not delivered yet; 0: it runs. */
    uint32_t stack;      /* As in records. */
    uint8_t state;       /* enum agent_wait_state */
    bool was_told;       /* A part of the wait was delivered. */
    uint64_t stopped_ns; /* When the stack below was taken; 0: never. */
    uint32_t stopped_stack;
    uint8_t kernel_count;
    uint64_t kernel[AGENT_KERNEL_FRAMES];
};

struct wait_book {           /* All zero to begin. */
    struct number_map index; /* Index + 1, by thread. */
    VEC(struct wait_thread) threads;
    uint64_t refused; /* Threads. */
};

/* Returns a thread, which is added if it is new; NULL if there is no room. */
struct wait_thread *wait_book_at(struct wait_book *book, uint32_t pid, uint32_t tid);
void wait_book_remove(struct wait_book *book, uint32_t tid);
void wait_book_remove_process(struct wait_book *book, uint32_t pid);
void wait_book_fini(struct wait_book *book);

/* Notes that the thread stops running.  A stack that was taken since it last ran is the stack of
 * this wait. */
void wait_thread_stop(struct wait_thread *thread, uint64_t time_ns, enum agent_wait_state state);
/* Makes a record of a part of its wait, up to `time_ns`, with room for all frames.  Returns false
 * if it does not wait, or for no time.  `ends`: it runs from then on. */
struct wait_record {
    struct agent_time time;
    uint64_t kernel[AGENT_KERNEL_FRAMES];
};
bool wait_thread_tell(struct wait_thread *thread, uint64_t time_ns, bool ends,
                      struct wait_record *record);
