/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that nobody knows: own_malloc and own_free, over mmap. */
#include <string.h>
#include <sys/mman.h>

#include "books.h"

static char *heap;
static size_t used;

NOINLINE void *own_malloc(size_t size)
{
    if (!heap)
        heap = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *block = heap + used;
    used += (size + 15) & ~15ul;
    return block;
}

NOINLINE void own_free(void *block)
{
    memset(block, 0xdd, 16);
}

NOINLINE void do_everything(void)
{
    for (size_t i = 1; i <= 3000; i++) {
        void *block = made(own_malloc(i), i, (i + 7) & ~7ul);
        if (i % 3 == 0)
            continue;
        own_free(block);
        gone(i);
    }
    KEEP_FRAME();
}

int main(void)
{
    do_everything();
    print_books();
    return 0;
}
