/* pprof_labels.h - reads the labels of a profile's samples into a recording. */
#pragma once

#include "formats/pprof/pprof_frames.h"

/* The sets of labels that were added already. */
struct pprof_labels {
    /* sets as bytes; ids count from 1, as in recording->labelled.sets */
    struct string_table *keys;
};

void pprof_labels_fini(struct pprof_labels *labels);

/* Adds the labels of a sample for its cells; does nothing for a sample without labels.  Returns 0
 * or -ENOMEM. */
int pprof_labels_add(struct pprof_labels *labels, struct pprof_frames *frames,
                     const struct pprof_sample *sample, const struct cell *cells, size_t count);

/* Call it after the last sample: sorts the labelled cells, and adds up those with equal labels. */
void pprof_labels_finish(struct recording *recording);
