/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of jemalloc that makes, changes or frees a block.  Names may have a prefix:
 * -DPREFIX=_rjem_.  With -DSALLOCX=name the function that tells a block's size has a name that
 * nobody knows, and nothing is aligned. */
#include <limits.h>

#include "books.h"

#ifdef PREFIX
#define PASTE(a, b) a##b
#define JOIN(a, b)  PASTE(a, b)
#define JE(name)    JOIN(PREFIX, name)
#else
#define JE(name) name
#endif

void *JE(malloc)(size_t);
void *JE(calloc)(size_t, size_t);
void *JE(realloc)(void *, size_t);
void JE(free)(void *);
int JE(posix_memalign)(void **, size_t, size_t);
void *JE(aligned_alloc)(size_t, size_t);
void *JE(memalign)(size_t, size_t);
void *JE(valloc)(size_t);
void *JE(mallocx)(size_t, int);
void *JE(rallocx)(void *, size_t, int);
size_t JE(xallocx)(void *, size_t, size_t, int);
size_t JE(sallocx)(const void *, int);
void JE(dallocx)(void *, int);
void JE(sdallocx)(void *, size_t, int);

#ifndef SALLOCX
#define SALLOCX    JE(sallocx)
#define ALIGNED    1
#define ALIGN_4096 12
#else
size_t SALLOCX(const void *, int);
#define ALIGNED    0
#define ALIGN_4096 0
#endif
#define ZERO      0x40
#define NO_TCACHE (1 << 8)

static void *note(void *block, size_t size)
{
    return made(block, size, SALLOCX(block, 0));
}

NOINLINE static void common_functions(size_t size)
{
    void *block = note(JE(malloc)(size), size);
    gone(size);
    block = note(JE(realloc)(block, 3 * size), 3 * size);
    JE(free)(block);
    gone(3 * size);
    block = note(JE(calloc)(7, size), 7 * size);
    JE(free)(block);
    gone(7 * size);
    note(JE(realloc)(NULL, size), size); /* stays */
    JE(free)(NULL);
}

NOINLINE static void aligned_functions(size_t size)
{
    void *block;
    if (JE(posix_memalign)(&block, 256, size) != 0)
        _exit(91);
    note(block, size);
    JE(free)(block);
    gone(size);
    block = note(JE(aligned_alloc)(64, 64 * size), 64 * size);
    JE(free)(block);
    gone(64 * size);
    block = note(JE(memalign)(512, size), size);
    JE(free)(block);
    gone(size);
    block = note(JE(valloc)(size), size);
    JE(free)(block);
    gone(size);
}

NOINLINE static void functions_with_flags(size_t size)
{
    void *block = note(JE(mallocx)(size, 0), size);
    gone(size);
    block = note(JE(rallocx)(block, 2 * size, ZERO), 2 * size);
    JE(dallocx)(block, 0);
    gone(2 * size);
    block = note(JE(mallocx)(size, ALIGN_4096 | ZERO), size);
    if (ALIGNED && (uintptr_t)block % 4096 != 0)
        _exit(92);
    JE(sdallocx)(block, size, ALIGN_4096);
    gone(size);
    block = note(JE(mallocx)(size, NO_TCACHE), size);
    JE(dallocx)(block, NO_TCACHE);
    gone(size);
    JE(sdallocx)(note(JE(malloc)(size), size), size, 0);
    gone(size);
}

NOINLINE static void in_place(size_t size)
{
    void *block = note(JE(mallocx)(size, 0), size);
    size_t room = SALLOCX(block, 0);
    if (JE(xallocx)(block, room, 0, 0) != room) /* it has room for that */
        _exit(93);
    gone(size);
    note(block, room);
    if (JE(xallocx)(block, SIZE_MAX / 4, 0, 0) >= SIZE_MAX / 4) /* never */
        _exit(94);
    JE(dallocx)(block, 0);
    gone(room);
}

/* What fails changes nothing. */
NOINLINE static void failures(void)
{
    void *block = note(JE(malloc)(100), 100), *none = NULL;
    if (JE(malloc)(PTRDIFF_MAX + 1ul) || JE(calloc)(SIZE_MAX / 2, 4) ||
        JE(realloc)(block, PTRDIFF_MAX + 1ul) || JE(mallocx)(PTRDIFF_MAX + 1ul, 0) ||
        JE(rallocx)(block, PTRDIFF_MAX + 1ul, 0) || JE(posix_memalign)(&none, 3, 8) == 0)
        _exit(95);
    JE(free)(block);
    gone(100);
}

NOINLINE void do_everything(void)
{
    for (size_t i = 1; i <= 2000; i++) {
        common_functions(i);
        if (ALIGNED)
            aligned_functions(i);
        functions_with_flags(i * 3);
        in_place(i * 5);
    }
    failures();
    KEEP_FRAME();
}

int main(void)
{
    do_everything();
    print_books();
    return 0;
}
