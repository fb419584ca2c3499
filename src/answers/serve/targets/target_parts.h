/* target_parts.h - the inside of a target, for the files of its kinds, and what they have in
 * common. */
#pragma once

#include "analyze/sums/columns_used.h"
#include "serve/targets/target_operations.h"

struct target {
    const struct target_operations *does;
    struct target_options options;
    char *nick;
    char *path; /* of the recording that is followed or was read; NULL: none yet */
    struct recording_follower *follower; /* of a recording that may grow */
    struct recording *whole;             /* of what is not followed, but read */
    struct running *running;             /* as of when somebody last asked for it */
    struct columns_used columns;
    struct recording_growth growth;
    uint64_t growth_to_ns;   /* what it was made of; 0: it was not */
    uint64_t recorded_at_ns; /* when what is followed began: another recording has other stacks */
    uint64_t refreshed_ns;
    struct { /* of TARGET_PROCESS */
        uint64_t began_ticks, began_ns, searched_ns;
        int found_fd; /* of the recording that was found; -1: none was */
    } process;
    struct { /* of TARGET_RUN and TARGET_NODE: as of when it was read */
        uint64_t version, read_ns, took_ns;
        uint64_t used_ns; /* when somebody last asked */
        bool is_due;      /* to be read again when it is next asked for */
    } run;
    bool has_old_metrics; /* of a recording that is gone: the next one may be at the same address */
    struct metrics_state *metrics;
    struct tree_text *tree;
    struct map_look *map;
};

/* Returns the recording that is in memory, or NULL. */
struct recording *target_current(const struct target *target);
void target_let_go(struct target *target);
int target_copy_path(struct target *target, const char *path, struct fault *fault);

/* Follows the recording at `path` from now on, instead of what was there.  Returns 0 or -errno with
 * a sentence: nothing has changed, or the target has no recording now. */
int target_follow(struct target *target, const char *path, struct fault *fault);
/* Returns what is followed, as of now; NULL with a sentence: then it is let go. */
struct recording *target_followed(struct target *target, struct fault *fault);

/* Reads all of it by the operation for that, and shows that from now on as `path`.  As
 * target_follow. */
int target_show_whole(struct target *target, const char *path, struct fault *fault);

/* Keys about a recording: its file, its program, its times, its metrics. */
void target_facts_write(struct json_out *json, const struct target *target,
                        const struct recording *recording);
