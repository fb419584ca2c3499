/* pprof_text.h - a heap profile as text, as Go's ?debug=1: one record per call stack, its
 * functions below it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "model/recording.h"

struct pprof_text_view {
    bool by_allocated; /* the order: by all that was allocated, instead of what is in use */
    bool hides_addresses;
    size_t top; /* stacks; what is left out is told */
};

/* Largest first.  Returns 0 or -errno with a sentence. */
int pprof_text_write(struct recording *recording, const struct pprof_text_view *view, FILE *out,
                     struct fault *fault);
