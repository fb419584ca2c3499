/* guarded.h - a copy of some bytes that ends at an unmapped page: one byte too far is a crash. */
#pragma once

#include <stdint.h>
#include <sys/mman.h>

#include "check.h"

struct guarded {
    uint8_t *pages;
    size_t room; /* without the unmapped page */
    uint8_t *bytes;
    size_t size;
};

/* Byte by byte: the gaps between the variables of an image are no variables, but may be copied. */
__attribute__((no_sanitize("address"))) static inline void
guarded_copy_bytes(uint8_t *to, const volatile uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = from[i];
}

static inline struct guarded guarded_copy(const void *bytes, size_t size)
{
    struct guarded copy = {.room = (size + 4095) / 4096 * 4096, .size = size};
    copy.pages =
        mmap(NULL, copy.room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(copy.pages != MAP_FAILED);
    CHECK(mprotect(copy.pages + copy.room, 4096, PROT_NONE) == 0);
    copy.bytes = copy.pages + copy.room - size;
    guarded_copy_bytes(copy.bytes, bytes, size);
    return copy;
}

static inline void guarded_free(struct guarded *copy)
{
    munmap(copy->pages, copy->room + 4096);
}
