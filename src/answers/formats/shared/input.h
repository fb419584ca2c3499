/* input.h - the bytes of a file, unpacked on the way: plain, gzip, zstd, xz or bzip2, told by
 * how it begins.
 *
 * The mirror of output.h.  Memory does not grow with the file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "formats/shared/output.h"

enum input_end {
    INPUT_MORE,    /* not at its end yet */
    INPUT_WHOLE,   /* all of it was read */
    INPUT_CUT,     /* the packed data stops in the middle */
    INPUT_DAMAGED, /* the packed data makes no sense from here on */
    INPUT_FAILED,  /* the file could not be read on, or there was no memory to unpack it */
};

struct input;

/* Opens an ordinary file.  NULL with a sentence in `fault`. */
struct input *input_open(const char *path, struct fault *fault);
/* Like input_open, from memory, for tests; `data` stays the caller's.  NULL: out of memory. */
struct input *input_open_bytes(const void *data, size_t size);
void input_close(struct input *input); /* NULL is allowed */

/* Unpacks up to `size` bytes; fewer only at the end, of which input_end then tells. */
size_t input_read(struct input *input, void *into, size_t size);

enum input_end input_end(const struct input *input);
enum compression input_compression(const struct input *input);
