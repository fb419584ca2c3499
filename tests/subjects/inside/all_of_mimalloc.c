/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of mimalloc that makes, changes or frees a block. */
#include <mimalloc.h>
#include <string.h>

#include "books.h"

static void *note(void *block, size_t size)
{
    return made(block, size, mi_usable_size(block));
}

static void drop(void *block, size_t size)
{
    mi_free(block);
    gone(size);
}

NOINLINE static void makers(mi_heap_t *heap, size_t n)
{
    void *block;
    drop(note(mi_malloc(n), n), n);
    drop(note(mi_calloc(3, n), 3 * n), 3 * n);
    drop(note(mi_zalloc(n), n), n);
    drop(note(mi_mallocn(5, n), 5 * n), 5 * n);
    drop(note(mi_malloc_small(n % 1000), n % 1000), n % 1000);
    drop(note(mi_zalloc_small(n % 1000), n % 1000), n % 1000);
    drop(note(mi_malloc_aligned(n, 64), n), n);
    drop(note(mi_malloc_aligned_at(n, 64, 8), n), n);
    drop(note(mi_zalloc_aligned(n, 128), n), n);
    drop(note(mi_calloc_aligned(2, n, 64), 2 * n), 2 * n);
    drop(note(mi_heap_malloc(heap, n), n), n);
    drop(note(mi_heap_zalloc(heap, n), n), n);
    drop(note(mi_heap_calloc(heap, 4, n), 4 * n), 4 * n);
    drop(note(mi_heap_malloc_aligned(heap, n, 256), n), n);
    if (mi_posix_memalign(&block, 64, n) != 0)
        _exit(91);
    drop(note(block, n), n);
    drop(note(mi_memalign(64, n), n), n);
    drop(note(mi_aligned_alloc(64, 64 * n), 64 * n), 64 * n);
    drop(note(mi_valloc(n), n), n);
    drop(note(mi_new(n), n), n);
    drop(note(mi_new_nothrow(n), n), n);
    drop(note(mi_new_aligned(n, 64), n), n);
    drop(note(mi_new_n(2, n), 2 * n), 2 * n);
    note(mi_malloc(n), n); /* stays */
}

NOINLINE static void changers(mi_heap_t *heap, size_t n)
{
    void *block = note(mi_malloc(n), n);
    gone(n);
    block = note(mi_realloc(block, 3 * n), 3 * n);
    gone(3 * n);
    block = note(mi_rezalloc(block, 4 * n), 4 * n);
    gone(4 * n);
    block = note(mi_recalloc(block, 5, n), 5 * n);
    gone(5 * n);
    block = note(mi_reallocn(block, 6, n), 6 * n);
    gone(6 * n);
    block = note(mi_realloc_aligned(block, 7 * n, 64), 7 * n);
    gone(7 * n);
    block = note(mi_heap_realloc(heap, block, 8 * n), 8 * n);
    gone(8 * n);
    block = note(mi_reallocf(block, 9 * n), 9 * n);
    gone(9 * n);
    block = note(mi_reallocarray(block, 10, n), 10 * n);
    size_t room = mi_usable_size(block);
    gone(10 * n);
    if (mi_expand(block, room) != block)
        _exit(92);
    note(block, room);
    if (mi_expand(block, room + 1))
        _exit(93);
    gone(room);
    if (mi_reallocarr(&block, 11, n) != 0)
        _exit(94);
    note(block, 11 * n);
    drop(block, 11 * n);
}

NOINLINE static void freers(size_t n)
{
    mi_free_size(note(mi_malloc(n), n), n);
    gone(n);
    mi_free_aligned(note(mi_malloc_aligned(n, 64), n), 64);
    gone(n);
    mi_free_size_aligned(note(mi_malloc_aligned(n, 64), n), n, 64);
    gone(n);
    mi_cfree(note(mi_malloc(n), n));
    gone(n);
    char *text = mi_strdup("twelve bytes");
    drop(note(text, 13), 13);
    text = mi_strndup("twelve bytes", 6);
    drop(note(text, 7), 7);
    text = mi_realpath("/", NULL);
    drop(note(text, 2), 2);
}

NOINLINE static void failures(void)
{
    void *block = note(mi_malloc(100), 100);
    if (mi_malloc(PTRDIFF_MAX + 1ul) || mi_calloc(SIZE_MAX / 2, 4) ||
        mi_realloc(block, PTRDIFF_MAX + 1ul))
        _exit(95);
    if (mi_reallocf(block, PTRDIFF_MAX + 1ul)) /* frees it */
        _exit(96);
    gone(100);
}

NOINLINE void do_everything(mi_heap_t *heap)
{
    for (size_t i = 1; i <= 1000; i++) {
        makers(heap, i);
        changers(heap, i);
        freers(i);
    }
    failures();
    KEEP_FRAME();
}

static void quiet(const char *text, void *argument)
{
    (void)text;
    (void)argument;
}

int main(void)
{
    mi_register_output(quiet, NULL); /* it complains about sizes that cannot be */
    do_everything(mi_heap_new());
    print_books();
    return 0;
}
