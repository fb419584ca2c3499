/* pprof_frames.h - the locations of profiles as frames and stacks of one recording: the same
 * place is the same frame in every profile, also after a restart put it elsewhere. */
#pragma once

#include "base/number_map.h"
#include "formats/pprof/pprof_drop.h"
#include "formats/pprof/pprof_profile.h"
#include "model/recording.h"

struct pprof_frames {
    struct recording *recording;
    struct string_table *keys; /* what a frame is made of; ids count from 1, as in `by_key` */
    VEC(uint32_t) by_key;      /* frames */
    struct number_map modules; /* by path and build id */
    uint64_t unnamed, all;     /* locations */
    /* of the profile at hand */
    const struct pprof_profile *profile;
    string_id *strings;  /* by string of the profile, plus one; 0: not interned yet */
    uint32_t *frames;    /* by location, plus one; 0: not made yet */
    uint32_t *module_of; /* by mapping */
    uint64_t *bias;      /* by mapping */
    uint32_t *dropped;   /* by location: lines that are not shown */
    struct pprof_drop drop;
};

/* Returns 0 or -ENOMEM. */
int pprof_frames_init(struct pprof_frames *frames, struct recording *recording);
void pprof_frames_fini(struct pprof_frames *frames);

/* From now on locations are those of `profile`, until the next one or pprof_frames_end.  Returns 0
 * or -ENOMEM. */
int pprof_frames_begin(struct pprof_frames *frames, const struct pprof_profile *profile);
void pprof_frames_end(struct pprof_frames *frames);

/* The stack of a sample, called from `outer`.  Returns 0 or -ENOMEM. */
int pprof_frames_stack(struct pprof_frames *frames, const struct pprof_sample *sample,
                       stack_id outer, stack_id *stack);
/* A string of the profile in the recording.  Returns 0 or -ENOMEM. */
int pprof_frames_string(struct pprof_frames *frames, uint32_t string, string_id *id);
