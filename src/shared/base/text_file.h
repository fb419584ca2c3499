/* text_file.h - a small file of the user's, whole, such as a list of rules. */
#pragma once

#include "base/fault.h"
#include "base/slice.h"

/* Reads `path` into *text; at most `max` bytes, more is an error.  0 or -errno with a sentence.
 * Give the text back with text_file_free. */
int text_file_read(const char *path, size_t max, struct slice *text, struct fault *fault);
void text_file_free(struct slice text);
