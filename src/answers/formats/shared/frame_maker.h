/* frame_maker.h - makes frames of a recording from names in foreign files. */
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

/* Makes a new frame, even if there is an equal one.  Returns 0 or -ENOMEM. */
int frame_make(struct frame_maker *maker, const struct frame_words *words, uint32_t *frame);
/* Makes a new frame with only a name.  Returns 0 or -ENOMEM. */
int frame_make_name(struct frame_maker *maker, const char *name, uint32_t *frame);
void frame_maker_fini(struct frame_maker *maker);
