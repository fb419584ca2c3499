/* SPDX-License-Identifier: Apache-2.0 */
/* crowd THREADS PAIRS [KEPT]: each of THREADS threads allocates PAIRS blocks and frees all of
 * them, some at once, some a while later, some by the next thread; and keeps KEPT blocks of 1000
 * bytes for ever.  Prints its own books: calls, bytes and frees of what the threads did. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "subject.h"

#define THREADS_MAX 1024
#define NEWEST      256u
#define LEFT        1024u

static _Atomic(void *) left_for[THREADS_MAX][LEFT]; /* for the next thread to free */
static atomic_ulong calls, bytes, frees;
static unsigned thread_count, pairs, kept;
static void *keepers[THREADS_MAX];

struct books {
    unsigned long calls, bytes, frees;
};

static NOINLINE void *makes(struct books *books, size_t size)
{
    void *block = malloc(size);
    books->calls++;
    books->bytes += size;
    return block;
}

static NOINLINE void ends(struct books *books, void *block)
{
    books->frees += block != NULL;
    free(block);
}

static NOINLINE void keeps(struct books *books, unsigned number)
{
    for (unsigned i = 0; i < kept; i++) {
        void **block = makes(books, 1000);
        *block = keepers[number];
        keepers[number] = block;
    }
}

static void *works(void *argument)
{
    unsigned const number = (unsigned)(uintptr_t)argument;
    _Atomic(void *) *to_next = left_for[(number + 1) % thread_count];
    struct books books = {0};
    void *newest[NEWEST] = {NULL};
    uint32_t random = number + 1;
    keeps(&books, number);
    for (unsigned i = 0; i < pairs; i++) {
        random = random * 1664525u + 1013904223u;
        void *block = makes(&books, 16 + (random >> 20) % 500);
        if (random >> 30 == 0)
            ends(&books, block);
        else if (random >> 30 == 1)
            ends(&books, atomic_exchange(&to_next[i % LEFT], block));
        else {
            ends(&books, newest[i % NEWEST]);
            newest[i % NEWEST] = block;
        }
        if (random >> 30 == 2)
            ends(&books, atomic_exchange(&left_for[number][i % LEFT], NULL));
    }
    for (unsigned i = 0; i < NEWEST; i++)
        ends(&books, newest[i]);
    calls += books.calls;
    bytes += books.bytes;
    frees += books.frees;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];
    struct books books = {0};
    thread_count = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
    pairs = argc > 2 ? (unsigned)atoi(argv[2]) : 10000;
    kept = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    if (thread_count < 1 || thread_count > THREADS_MAX)
        return 2;
    for (unsigned i = 0; i < thread_count; i++)
        pthread_create(&threads[i], NULL, works, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < thread_count; i++)
        for (unsigned k = 0; k < LEFT; k++)
            ends(&books, atomic_exchange(&left_for[i][k], NULL));
    printf("%lu %lu %lu\n", calls, bytes, frees + books.frees);
    return 0;
}
