/* SPDX-License-Identifier: Apache-2.0 */
/* heap_book_fork.c - what a process had when it forked. */
#include <errno.h>

#include "capture/books/heap_book_parts.h"

int heap_book_fork(struct heap_book *book, uint32_t id, uint64_t time_ns)
{
    if (!book->forks && !(book->forks = fork_log_create()))
        return -ENOMEM;
    fork_log_fork(book->forks, id, time_ns);
    return 0;
}

bool heap_book_has_forked(const struct heap_book *book, uint32_t id)
{
    return book->forks && fork_log_has_passed(book->forks, id);
}

/* Blocks that were there at a time. */
struct fork_visit {
    uint64_t time_ns;
    block_visitor *visit;
    void *context;
};

static void show_if_older(void *context, const struct block *block)
{
    const struct fork_visit *visit = context;
    if (block->time_ns >> BLOCK_TIME_SHIFT <= visit->time_ns >> BLOCK_TIME_SHIFT)
        visit->visit(visit->context, block);
}

bool heap_book_visit_fork(const struct heap_book *book, uint32_t id, block_visitor *visit,
                          void *context)
{
    struct fork_visit fork = {.visit = visit, .context = context};
    if (!book->forks || !fork_log_find(book->forks, id, &fork.time_ns))
        return false;
    block_table_visit(book->blocks, show_if_older, &fork);
    fork_log_visit(book->forks, id, show_if_older, &fork);
    return true;
}
