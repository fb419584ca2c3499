/* input_registry.h - the table of formats that memoir reads as recordings; registry.h has those
 * that memoir writes.
 *
 * To add one: a parser in formats/NAME/, its functions in formats/shared/readers.h, and a row in
 * input_registry.c. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"
#include "model/recording.h"

struct input_format {
    const char *name;                 /* of the program that writes such files */
    bool (*knows)(struct slice head); /* recognises a file by its first bytes, unpacked */
    /* Reads a file; the caller destroys the recording.  NULL with a sentence. */
    struct recording *(*read)(const char *path, struct fault *fault);
    bool may_lack_names; /* has addresses, whose names are looked up on this machine */
    bool needs_plain;    /* the reader does not unpack */
    bool is_own;         /* memoir's own recordings */
};

/* The last row has no name and recognises no file.  It reads files that no other row recognises:
 * recordings with a damaged beginning. */
extern const struct input_format input_formats[];

/* Returns the row that recognises the first bytes of the file; else the last row. */
const struct input_format *input_format_find(struct slice head);
