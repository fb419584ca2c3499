/* live_pictures.h - what each stack had live at some instants of a program that still runs, in bounded memory: to say who has grown since one of them.
 *
 * Of each instant the stacks with most bytes are kept.  When there are LIVE_PICTURES_MAX instants, every second one goes and new ones come half as often. */
#pragma once

#include "model/recording.h"

#define LIVE_PICTURES_MAX   16
#define LIVE_PICTURE_STACKS 2048u

struct live_picture {
    uint64_t time_ns;
    struct cell *cells; /* by key; owned */
    size_t count;
};
struct live_pictures { /* all zero to begin */
    struct live_picture items[LIVE_PICTURES_MAX];
    unsigned count;
    uint64_t spacing_ns;
};

/* Whether it is time for another one. */
bool live_pictures_is_due(const struct live_pictures *pictures, uint64_t time_ns);
/* Of cells of one column; they are put in another order.  0 or -ENOMEM. */
int live_pictures_add(struct live_pictures *pictures, uint64_t time_ns, struct cell *cells,
                      size_t count);
/* The last one up to `time_ns`, else the first; NULL: there is none. */
const struct live_picture *live_pictures_at(const struct live_pictures *pictures, uint64_t time_ns);
/* What a stack had in it; 0 when it was none of those with most. */
int64_t live_picture_value(const struct live_picture *picture, uint32_t key);
void live_pictures_fini(struct live_pictures *pictures);
