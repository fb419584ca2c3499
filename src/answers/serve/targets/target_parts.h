/* target_parts.h - inside a target: its struct, and what the files of its kinds share. */
#pragma once

#include "analyze/sums/columns_used.h"
#include "serve/targets/target_operations.h"

struct target {
    const struct target_operations *does;
    struct target_options options;
    char *nick;
    char *path; /* of the recording that is followed or was read; NULL: none yet */
    struct recording_follower *follower; /* for a recording that may grow */
    struct recording *whole;             /* for a file that is read as a whole */
    struct running *running;             /* as of the last call of target_recording */
    struct columns_used columns;
    struct recording_growth growth;
    uint64_t growth_to_ns; /* end of the time that `growth` covers; 0: not computed */
    /* when the followed recording began; stacks of another recording are different */
    uint64_t recorded_at_ns;
    uint64_t refreshed_ns;
    struct { /* for TARGET_PROCESS */
        uint64_t began_ticks, began_ns, searched_ns;
        int found_fd; /* of the recording that was found; -1: none */
    } process;
    struct { /* for TARGET_RUN and TARGET_NODE: when it was read */
        uint64_t version, read_ns, took_ns;
        uint64_t used_ns; /* when a client last asked for it */
        bool is_due;      /* must be read again when a client next asks */
    } run;
    /* `metrics` is of a recording that is gone; the next one may have the same address */
    bool has_old_metrics;
    struct metrics_state *metrics;
    struct tree_text *tree;
    struct map_look *map;
};

/* Returns the recording that is in memory, or NULL. */
struct recording *target_current(const struct target *target);
void target_let_go(struct target *target);
int target_copy_path(struct target *target, const char *path, struct fault *fault);

/* Follows the recording at `path` from now on, instead of the old one.  Returns 0; or -errno with a
 * sentence, and then either nothing has changed, or the target has no recording now. */
int target_follow(struct target *target, const char *path, struct fault *fault);
/* Returns the followed recording as of now.  On failure returns NULL with a sentence, and the
 * recording is dropped. */
struct recording *target_followed(struct target *target, struct fault *fault);

/* Reads the whole recording with the operation `read`, and shows it from now on as `path`.  Returns
 * what target_follow returns. */
int target_show_whole(struct target *target, const char *path, struct fault *fault);

/* Writes the keys about a recording: its file, program, times and metrics. */
void target_facts_write(struct json_out *json, const struct target *target,
                        const struct recording *recording);
