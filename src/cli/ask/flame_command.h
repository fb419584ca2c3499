/* flame_command.h - inside `memoir flame`: its options, and the weights they select. */
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

/* Chooses the metric if no option named one, and prints a note if the choice is unusual. */
void flame_choose_metric(struct flame_command *command, const struct recording *recording);

/* Makes the weights of the chosen metric, time and filter; with one root per thread if that was
 * asked for.  Returns 0 or -errno with a sentence. */
int flame_weigh(const struct flame_command *command, struct recording *recording,
                struct weights *weights, struct fault *fault);

/* Sums moments by thread and stack, filtered; `weights` has a row for each sum.  Returns 0 or
 * -errno with a sentence. */
int flame_weigh_moments(const struct flame_command *command, struct recording *recording,
                        struct moment_sums *sums, struct weights *weights, struct fault *fault);

/* Writes to command->choice what --filter kept, and of how much.  Returns 0 or -errno with a
 * sentence. */
int flame_describe_filter(struct flame_command *command, struct recording *recording,
                          const struct weights *kept, struct fault *fault);

/* Turns --threshold into a share of the drawn total. */
void flame_apply_threshold(struct flame_command *command, const struct weights *weights);

/* Draws the change from the recording `command->diff`, or from --between to --with.  Returns 0 or
 * -errno with a sentence. */
int flame_draw_diff(struct flame_command *command, struct recording *recording, struct svg_out *out,
                    struct fault *fault);
