/* pprof_labels.h - the labels of a profile's samples, into a recording and out of it. */
#pragma once

#include "formats/pprof/pprof_frames.h"

/* Of one profile: which sets of labels there are already. */
struct pprof_labels {
    /* a set as bytes; ids count from 1, as in recording->labelled.sets */
    struct string_table *keys;
};

void pprof_labels_fini(struct pprof_labels *labels);

/* The cells are of a sample; those of one without labels are passed over.  Returns 0 or -ENOMEM. */
int pprof_labels_add(struct pprof_labels *labels, struct pprof_frames *frames,
                     const struct pprof_sample *sample, const struct cell *cells, size_t count);

/* After the last one: sorts them, and sums those with equal labels. */
void pprof_labels_finish(struct recording *recording);
