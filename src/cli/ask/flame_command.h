/* flame_command.h - inside `memoir flame`: what was asked for, and the weights that come of it. */
#pragma once

#include "analyze/sums/moment_sums.h"
#include "cli/shared/picture_command.h"
#include "report/flame/flame_diff.h"

#define FLAME_CHOICE_MAX 200

struct flame_command {
    struct selection selection;
    struct flame_options options;
    char choice[FLAME_CHOICE_MAX]; /* what --filter did, for the subtitle */
    bool by_thread;
    enum thread_names thread_names;
    bool heat;
    const char *diff;      /* the older recording to compare with, or NULL */
    struct selection with; /* the later stretch of one recording, when its between_given is set */
    enum diff_scale scale;
};

/* Takes the metric that fits when none was named, and says so where that needs saying. */
void flame_choose_metric(struct flame_command *command, const struct recording *recording);

/* Weights of the chosen metric, time and filter; with a root per thread when that was asked for.
 * 0 or -errno with a sentence. */
int flame_weigh(const struct flame_command *command, struct recording *recording,
                struct weights *weights, struct fault *fault);

/* The moments by thread and stack, filtered, and weights with a row for each of them. */
int flame_weigh_moments(const struct flame_command *command, struct recording *recording,
                        struct moment_sums *sums, struct weights *weights, struct fault *fault);

/* Says in the subtitle what --filter kept, and of how much. */
int flame_describe_filter(struct flame_command *command, struct recording *recording,
                          const struct weights *kept, struct fault *fault);

/* --threshold as a share of what is drawn. */
void flame_apply_threshold(struct flame_command *command, const struct weights *weights);

/* Draws the change since `command->diff`, or from --between to --with. */
int flame_draw_diff(struct flame_command *command, struct recording *recording, struct svg_out *out,
                    struct fault *fault);
