/* wait_book.h - threads that do not run, since when, and with which stack they stopped.
 *
 * A thread is known by its number from when it is first told until it ends.  At most
 * WAIT_THREADS_MAX; further ones are not told of, and counted.  Not thread-safe. */
#pragma once

#include <stdbool.h>

#include "base/number_map.h"
#include "base/vec.h"
#include "wire/agent.h"

#define WAIT_THREADS_MAX 65536u

struct wait_thread {
    uint32_t pid, tid;
    uint64_t since_ns;   /* of the part of the wait that was not told yet; 0: it runs */
    uint32_t stack;      /* as in records */
    uint8_t state;       /* enum agent_wait_state */
    bool was_told;       /* a part of it */
    uint64_t stopped_ns; /* when the stack below was taken; 0: never */
    uint32_t stopped_stack;
    uint8_t kernel_count;
    uint64_t kernel[AGENT_KERNEL_FRAMES];
};

struct wait_book {           /* all zero to begin */
    struct number_map index; /* place + 1, by thread */
    VEC(struct wait_thread) threads;
    uint64_t refused; /* threads */
};

/* What is known of a thread, from now on if it is new; NULL when there is no room. */
struct wait_thread *wait_book_at(struct wait_book *book, uint32_t pid, uint32_t tid);
void wait_book_remove(struct wait_book *book, uint32_t tid);
void wait_book_remove_process(struct wait_book *book, uint32_t pid);
void wait_book_fini(struct wait_book *book);

/* It stops running; a stack that was taken since it last ran is the stack of this wait. */
void wait_thread_stop(struct wait_thread *thread, uint64_t time_ns, enum agent_wait_state state);
/* A part of its wait, up to `time_ns`, as a record with room for all its frames; false when it
 * does not wait, or for no time.  `ends`: it runs from then on. */
struct wait_record {
    struct agent_time time;
    uint64_t kernel[AGENT_KERNEL_FRAMES];
};
bool wait_thread_tell(struct wait_thread *thread, uint64_t time_ns, bool ends,
                      struct wait_record *record);
