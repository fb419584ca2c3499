/* input_registry.h - the formats that memoir reads as recordings, in one table; registry.h has
 * those that it writes.
 *
 * To add one: a parser in formats/NAME/, its functions in formats/shared/readers.h, and a row in
 * input_registry.c. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"
#include "model/recording.h"

struct input_format {
    const char *name;                 /* of the program that writes such files */
    bool (*knows)(struct slice head); /* by the first bytes, unpacked */
    /* NULL with a sentence; the caller destroys. */
    struct recording *(*read)(const char *path, struct fault *fault);
    bool may_lack_names; /* has addresses: their names are looked up on this machine */
    bool needs_plain;    /* does not unpack by itself */
    bool is_own;         /* memoir's own recordings */
};

/* Ends with a row without a name, which knows no file and reads what no other does: recordings
 * with a damaged beginning. */
extern const struct input_format input_formats[];

/* Returns the one that knows how the file begins; else the last row. */
const struct input_format *input_format_find(struct slice head);
