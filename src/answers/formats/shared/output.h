/* output.h - writes bytes to a file: plain, gzip or zstd, with one buffer.
 *
 * Writers need not check each call: after the first failure every call does nothing, and
 * output_finish returns the failure. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

/* xz and bzip2 are only for reading. */
enum compression { COMPRESS_NONE, COMPRESS_GZIP, COMPRESS_ZSTD, COMPRESS_XZ, COMPRESS_BZIP2 };

/* Returns the compression for the end of the name: ".gz", ".zst", else none. */
enum compression compression_of_name(const char *name);

struct output;

/* Writes to `file`, which is borrowed: it is flushed, not closed.  Returns NULL when out of memory.
 * Every output_create needs one output_finish. */
struct output *output_create(FILE *file, enum compression compression);

/* From now on the output is lines of text: characters that control a terminal (utf8_steers), and
 * bytes that are not UTF-8, are each replaced by '?'. */
void output_be_text(struct output *output);

/* Ends the compressed stream, flushes, and frees `output`.  Returns 0, or the first failure. */
int output_finish(struct output *output, struct fault *fault);

void output_bytes(struct output *output, const void *data, size_t size);
void output_text(struct output *output, const char *text);
/* Writes `text` with its line breaks replaced by blanks, and a line break. */
void output_line(struct output *output, const char *text);
void output_format(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* at most 1 KiB; the rest is cut off */
void output_hex(struct output *output,
                uint64_t value); /* lower case, without prefix and leading zeros */
void output_char(struct output *output, char c);
