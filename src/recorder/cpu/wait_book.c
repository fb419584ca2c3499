/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/wait_book.h"

#include <string.h>

struct wait_thread *wait_book_at(struct wait_book *book, uint32_t pid, uint32_t tid)
{
    uint32_t const known = tid ? number_map_get(&book->index, tid) : 0;
    if (known) {
        book->threads.items[known - 1].pid = pid;
        return &book->threads.items[known - 1];
    }
    if (tid == 0 || book->threads.count >= WAIT_THREADS_MAX || !vec_reserve(&book->threads, 1)) {
        book->refused += tid != 0;
        return NULL;
    }
    uint32_t *place = number_map_at(&book->index, tid);
    if (!place)
        return NULL;
    *place = (uint32_t)book->threads.count + 1;
    (void)vec_push(&book->threads, (struct wait_thread){.pid = pid, .tid = tid});
    return &book->threads.items[*place - 1];
}

void wait_book_remove(struct wait_book *book, uint32_t tid)
{
    uint32_t const known = tid ? number_map_remove(&book->index, tid) : 0;
    if (!known)
        return;
    struct wait_thread const last = book->threads.items[--book->threads.count];
    if (last.tid == tid)
        return;
    book->threads.items[known - 1] = last;
    uint32_t *place = number_map_at(&book->index, last.tid);
    if (place)
        *place = known;
}

void wait_book_remove_process(struct wait_book *book, uint32_t pid)
{
    for (size_t i = book->threads.count; i-- > 0;)
        if (book->threads.items[i].pid == pid)
            wait_book_remove(book, book->threads.items[i].tid);
}

void wait_book_fini(struct wait_book *book)
{
    number_map_fini(&book->index);
    vec_free(&book->threads);
}

void wait_thread_stop(struct wait_thread *thread, uint64_t time_ns, enum agent_wait_state state)
{
    thread->since_ns = time_ns;
    thread->state = (uint8_t)state;
    thread->was_told = false;
    thread->stack = thread->stopped_ns ? thread->stopped_stack : AGENT_STACK_NONE;
    if (!thread->stopped_ns)
        thread->kernel_count = 0;
    thread->stopped_ns = 0;
}

bool wait_thread_tell(struct wait_thread *thread, uint64_t time_ns, bool ends,
                      struct wait_record *record)
{
    bool const waits = thread->since_ns != 0 && time_ns > thread->since_ns;
    if (waits) {
        record->time = (struct agent_time){
            .record = {.kind = AGENT_WAIT,
                       .flags = ends ? 0 : AGENT_GOES_ON,
                       .pid = thread->pid,
                       .tid = thread->tid,
                       .stack = thread->stack,
                       .time_ns = time_ns,
                       .address = time_ns - thread->since_ns},
            .state = thread->state,
            .kernel_count = thread->kernel_count,
        };
        memcpy(record->kernel, thread->kernel, thread->kernel_count * sizeof(thread->kernel[0]));
        thread->was_told = true;
        thread->since_ns = time_ns;
    }
    if (ends)
        thread->since_ns = 0;
    return waits;
}
