/* frame_maker.h - frames of a recording from the words of other programs' files. */
#pragma once

#include "base/number_map.h"
#include "base/slice.h"
#include "model/recording.h"

struct frame_maker {
    struct recording *recording;
    struct number_map modules; /* by path */
};

struct frame_words {
    struct slice function, module, file; /* empty: unknown */
    uint32_t line;
    uint64_t address;
};

/* A new frame, also when there is an equal one.  Returns 0 or -ENOMEM. */
int frame_make(struct frame_maker *maker, const struct frame_words *words, uint32_t *frame);
/* A new frame that is only a name. */
int frame_make_name(struct frame_maker *maker, const char *name, uint32_t *frame);
void frame_maker_fini(struct frame_maker *maker);
