/* pprof_text.h - a heap profile as text, as Go's ?debug=1: one record per call stack, its functions below it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "model/recording.h"

/* Largest first, by what is in use, or by all that was allocated.  0 or -errno with a sentence. */
int pprof_text_write(struct recording *recording, bool by_allocated, bool hides_addresses,
                     FILE *out, struct fault *fault);
