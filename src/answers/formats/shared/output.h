/* output.h - bytes on their way to a file, plain, gzip or zstd, through one buffer.
 *
 * Writers call output_* without looking at each result: the first failure is kept, everything
 * after it does nothing, and output_finish reports it. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

/* xz and bzip2 are only read. */
enum compression { COMPRESS_NONE, COMPRESS_GZIP, COMPRESS_ZSTD, COMPRESS_XZ, COMPRESS_BZIP2 };

/* By the end of the name: ".gz", ".zst", else none. */
enum compression compression_of_name(const char *name);

struct output;

/* Writes to `file`, which stays the caller's and is flushed, not closed.  NULL when out of
 * memory.  Every output_create needs one output_finish. */
struct output *output_create(FILE *file, enum compression compression);

/* What follows is lines of text: what steers a terminal in them (utf8_steers) and what is not UTF-8
 * becomes '?', byte for byte. */
void output_be_text(struct output *output);

/* Ends the compressed stream, flushes and frees `output`.  0, or the first failure. */
int output_finish(struct output *output, struct fault *fault);

void output_bytes(struct output *output, const void *data, size_t size);
void output_text(struct output *output, const char *text);
/* `text`, its line breaks as blanks, and a line break. */
void output_line(struct output *output, const char *text);
void output_format(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* at most 1 KiB, the rest is cut */
void output_hex(struct output *output,
                uint64_t value); /* lower case, no prefix, no zeros in front */
void output_char(struct output *output, char c);
