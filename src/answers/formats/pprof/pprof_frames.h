/* pprof_frames.h - makes frames and stacks of one recording from the locations of profiles.  The
 * same code is the same frame in every profile, even if a restart moved it to another address. */
#pragma once

#include "base/number_map.h"
#include "formats/pprof/pprof_drop.h"
#include "formats/pprof/pprof_profile.h"
#include "model/recording.h"

struct pprof_frames {
    struct recording *recording;
    struct string_table *keys; /* what identifies a frame; ids count from 1, as in `by_key` */
    VEC(uint32_t) by_key;      /* frames, by id of the key */
    struct number_map modules; /* by path and build id */
    uint64_t unnamed, all;     /* numbers of locations */
    /* for the current profile: */
    const struct pprof_profile *profile;
    string_id *strings;  /* string_id plus one, by string of the profile; 0: not interned yet */
    uint32_t *frames;    /* frame plus one, by location; 0: not made yet */
    uint32_t *module_of; /* by mapping */
    uint64_t *bias;      /* by mapping */
    uint32_t *dropped;   /* by location: number of hidden lines */
    struct pprof_drop drop;
};

/* Returns 0 or -ENOMEM. */
int pprof_frames_init(struct pprof_frames *frames, struct recording *recording);
void pprof_frames_fini(struct pprof_frames *frames);

/* Sets the current profile, until the next call or pprof_frames_end.  Returns 0 or -ENOMEM. */
int pprof_frames_begin(struct pprof_frames *frames, const struct pprof_profile *profile);
void pprof_frames_end(struct pprof_frames *frames);

/* Makes the stack of a sample; its caller is `outer`.  Returns 0 or -ENOMEM. */
int pprof_frames_stack(struct pprof_frames *frames, const struct pprof_sample *sample,
                       stack_id outer, stack_id *stack);
/* Interns a string of the profile in the recording.  Returns 0 or -ENOMEM. */
int pprof_frames_string(struct pprof_frames *frames, uint32_t string, string_id *id);
