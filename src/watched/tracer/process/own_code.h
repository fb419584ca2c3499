/* own_code.h - whether an address is in this library. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The linker's symbols for the beginning and end of this library. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static inline bool is_own_code(const void *address)
{
    return (uintptr_t)address >= (uintptr_t)__ehdr_start && (uintptr_t)address < (uintptr_t)_end;
}
