/* fault.h - an error with a sentence that a person can act on: what happened, why, what to do.
 *
 * A function whose errors are worth explaining has a `struct fault *` parameter.  NULL is allowed
 * everywhere: the caller then gets the error code only.  Nothing here allocates memory. */
#pragma once

#include <stdint.h>

#define FAULT_TEXT_MAX 512

struct fault {
    int code;        /* -errno; 0 if there was no error. */
    uint64_t offset; /* Byte (or line) of the input that is wrong, if the error is about input. */
    char text[FAULT_TEXT_MAX]; /* The sentence, without a newline at the end. */
};

/* Fills `fault` unless it is NULL.  Returns `code`, so callers can write `return fault_set(...)`.
 * What steers a terminal (utf8.h) and invalid UTF-8 in the text become '?'; newlines and tabs
 * stay. */
int fault_set(struct fault *fault, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __clang_analyzer__ /* which cannot see that */
#define fault_set(fault, code, ...) ((fault_set)(fault, code, __VA_ARGS__), (code))
#endif

/* Like fault_set, and sets the offset of the error in the input. */
int fault_at(struct fault *fault, int code, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
