/* text_file.h - reads a small file of the user, such as a list of rules, as a whole. */
#pragma once

#include "base/fault.h"
#include "base/slice.h"

/* Reads `path` into *text.  A file of more than `max` bytes is an error.  Returns 0, or -errno with
 * a sentence in `fault`.  Free the text with text_file_free. */
int text_file_read(const char *path, size_t max, struct slice *text, struct fault *fault);
void text_file_free(struct slice text);
