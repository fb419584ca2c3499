/* books.h - what a program did with an allocator that is linked into it, by its own count.
 *
 * Blocks are made and freed below one function, do_everything, so that a recording can be asked
 * for them alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "../subject.h"

static struct {
    unsigned long calls, bytes, frees, freed, slack;
} books;

/* `usable` as the allocator itself says. */
static inline void *made(void *block, size_t size, size_t usable)
{
    if (!block)
        _exit(90);
    books.calls++;
    books.bytes += size;
    books.slack += usable - size;
    *(volatile char *)block = 1;
    return block;
}

static inline void gone(size_t size)
{
    books.frees++;
    books.freed += size;
}

static inline void print_books(void)
{
    say("calls %lu\nbytes %lu\nfrees %lu\nfreed %lu\nslack %lu\n", books.calls, books.bytes,
        books.frees, books.freed, books.slack);
}
