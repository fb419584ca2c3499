// SPDX-License-Identifier: Apache-2.0
// Every form of new and delete, in a program that brings its own; one of them fails and throws, and what comes after is
// recorded as before.
#include <malloc.h>
#include <new>
#include <stdexcept>

extern "C" {
#include "books.h"
}

static void *take(void *block, size_t size)
{
    return made(block, size, malloc_usable_size(block));
}

NOINLINE static void plain(size_t n)
{
    ::operator delete(take(::operator new(n), n));
    gone(n);
    ::operator delete[](take(::operator new[](n), n));
    gone(n);
    ::operator delete(take(::operator new(n, std::nothrow), n), std::nothrow);
    gone(n);
    ::operator delete[](take(::operator new[](n, std::nothrow), n), std::nothrow);
    gone(n);
    ::operator delete(take(::operator new(n), n), n);
    gone(n);
    ::operator delete[](take(::operator new[](n), n), n);
    gone(n);
    free(take(malloc(n), n));
    gone(n);
    take(::operator new(n), n); // stays
}

NOINLINE static void aligned(size_t n)
{
    const std::align_val_t by{256};
    ::operator delete(take(::operator new(n, by), n), by);
    gone(n);
    ::operator delete[](take(::operator new[](n, by), n), by);
    gone(n);
    ::operator delete(take(::operator new(n, by, std::nothrow), n), by, std::nothrow);
    gone(n);
    ::operator delete(take(::operator new(n, by), n), n, by);
    gone(n);
    ::operator delete[](take(::operator new[](n, by), n), n, by);
    gone(n);
}

#ifndef NO_THROW
// The exception leaves from inside the allocator, through the hook.
NOINLINE static void one_that_throws()
{
    volatile size_t too_much = (size_t)1 << 62;
    try {
        ::operator delete(::operator new(too_much));
        _exit(91);
    } catch (const std::bad_alloc &) {
    }
    plain(10);
}
#endif

extern "C" NOINLINE void do_everything()
{
    for (size_t i = 1; i <= 2000; i++) {
        plain(i);
        aligned(i);
    }
#ifndef NO_THROW
    for (int i = 0; i < 100; i++)
        one_that_throws();
#endif
    KEEP_FRAME();
}

int main()
{
    do_everything();
    print_books();
    return 0;
}
