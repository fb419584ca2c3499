/* pprof_text.h - writes a heap profile as text, like Go's ?debug=1: one record per call stack,
 * followed by its functions. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "model/recording.h"

struct pprof_text_view {
    bool by_allocated; /* sorted by allocated bytes, instead of bytes in use */
    bool hides_addresses;
    size_t top; /* maximum number of stacks; the text says how much is left out */
};

/* Writes the profile, largest stacks first.  Returns 0 or -errno with a sentence. */
int pprof_text_write(struct recording *recording, const struct pprof_text_view *view, FILE *out,
                     struct fault *fault);
