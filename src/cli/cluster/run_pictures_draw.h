/* run_pictures_draw.h - inside run_pictures: one picture of one profile. */
#pragma once

#include "analyze/sums/weigh.h"
#include "cluster/runs/run.h"

struct run_picture {
    const char *suffix; /* NULL ends the list */
    const char *metric;
    bool is_diff, is_flame;
};
extern const struct run_picture run_picture_kinds[];

/* A profile and the one before it, which are read when a picture first needs them. */
struct picture_source {
    const struct run *run;
    const struct run_file *file, *previous;
    struct recording *now, *before;
};
void picture_source_fini(struct picture_source *source);

/* Both draw one picture and write it to `path`.  Return 0 or -errno with a sentence. */
int flame_picture_draw(struct picture_source *source, const struct run_picture *picture,
                       const char *path, struct fault *fault);
/* `program` is the path of memoir-graph, which draws the picture. */
int graph_picture_draw(const char *program, const struct picture_source *source,
                       const struct run_picture *picture, const char *path, struct fault *fault);
