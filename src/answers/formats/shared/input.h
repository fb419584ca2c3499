/* input.h - reads the bytes of a file and unpacks them: plain, gzip, zstd, xz or bzip2, which is
 * recognised by the first bytes.
 *
 * output.h does the opposite.  Memory does not grow with the file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "formats/shared/output.h"

enum input_end {
    INPUT_MORE,    /* not at the end yet */
    INPUT_WHOLE,   /* everything was read */
    INPUT_CUT,     /* the packed data ends in the middle */
    INPUT_DAMAGED, /* the packed data is invalid from here on */
    INPUT_FAILED,  /* an error of reading, or out of memory while unpacking */
};

struct input;

/* Opens a regular file.  Returns NULL with a sentence in `fault`. */
struct input *input_open(const char *path, struct fault *fault);
/* Like input_open, from memory, for tests.  `data` is borrowed.  Returns NULL when out of
 * memory. */
struct input *input_open_bytes(const void *data, size_t size);
void input_close(struct input *input); /* NULL is allowed */

/* Unpacks up to `size` bytes and returns their number.  Fewer only at the end: input_end says
 * why. */
size_t input_read(struct input *input, void *into, size_t size);

enum input_end input_end(const struct input *input);
enum compression input_compression(const struct input *input);
