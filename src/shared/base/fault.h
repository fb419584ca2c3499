/* fault.h - an error with a sentence a person can act on: what, why, what to do.
 *
 * A function that can fail in a way worth explaining takes a `struct fault *`.  NULL is allowed
 * everywhere and means "the number is enough".  Nothing here allocates. */
#pragma once

#include <stdint.h>

#define FAULT_TEXT_MAX 512

struct fault {
    int code;        /* -errno; 0 when nothing went wrong */
    uint64_t offset; /* byte (or line) of the input where it went wrong, if it was input */
    char text[FAULT_TEXT_MAX]; /* one sentence, no newline */
};

/* Fills `fault` (if any) and returns `code`, so that `return fault_set(...)` reads well. */
int fault_set(struct fault *fault, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with the place in the input. */
int fault_at(struct fault *fault, int code, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
