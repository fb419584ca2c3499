/* target_operations.h - the operations that differ between kinds of targets.
 *
 * Each kind has a file target_KIND.c with its row of operations.  Only the files of this folder
 * include this header; others call the functions of target.h, which use the row.  To add a kind:
 * its value in enum target_kind, its file, its row below and in target.c. */
#pragma once

#include "base/json_out.h"
#include "serve/targets/target.h"

struct target_operations {
    const char *name; /* in answers: "process" */
    /* read when a client first asks; may be dropped from memory and read again */
    bool is_read_late;
    bool has_row; /* has a row of its own in /api/nodes */
    bool is_told; /* reported by /api/events */
    /* Called when the target is opened.  Returns 0 or -errno with a sentence.  NULL: nothing to
     * do. */
    int (*open)(struct target *target, struct fault *fault);
    /* Reads the whole recording, for target_show_whole; the caller destroys it.  Returns NULL with
     * a sentence on failure.  No function: the recording is followed, or there is none. */
    struct recording *(*read)(struct target *target, struct fault *fault);
    /* Like target_recording, without sums. */
    struct recording *(*recording)(struct target *target, struct fault *fault);
    /* Like target_memory, target_known_pid and target_known_memory. */
    int (*memory)(struct target *target, struct memory_status *memory, struct fault *fault);
    uint32_t (*known_pid)(const struct target *target);
    int (*known_memory)(struct target *target, struct memory_status *memory);
    /* Like target_tend.  NULL: nothing to do. */
    void (*tend)(struct target *target);
    /* Like target_describe, target_look and target_write_nodes. */
    void (*describe)(struct target *target, struct json_out *json);
    void (*look)(struct target *target, size_t targets, struct target_state *state);
    int (*write_nodes)(struct target *target, struct json_out *json,
                       const struct node_question *question, const struct target_list *served,
                       struct fault *fault);
};

extern const struct target_operations target_process_operations;
extern const struct target_operations target_recording_operations;
extern const struct target_operations target_foreign_operations;
extern const struct target_operations target_run_operations;
extern const struct target_operations target_node_operations;
extern const struct target_operations target_history_operations;

/* For files, recordings and those of other programs: about the process that the file was recorded
 * of. */
int target_file_memory(struct target *target, struct memory_status *memory, struct fault *fault);
uint32_t target_file_known_pid(const struct target *target);
int target_file_known_memory(struct target *target, struct memory_status *memory);

/* For all targets with one recording. */
void target_recording_describe(struct target *target, struct json_out *json);
void target_recording_look(struct target *target, size_t targets, struct target_state *state);
int target_recording_write_nodes(struct target *target, struct json_out *json,
                                 const struct node_question *question,
                                 const struct target_list *served, struct fault *fault);

/* For runs and their nodes. */
struct recording *target_run_recording(struct target *target, struct fault *fault);
/* Reads the profiles of node `nick`; NULL: of all nodes. */
struct recording *target_run_read(struct target *target, const char *nick, struct fault *fault);
int target_run_memory(struct target *target, struct memory_status *memory, struct fault *fault);
uint32_t target_run_known_pid(const struct target *target);
int target_run_known_memory(struct target *target, struct memory_status *memory);
void target_run_tend(struct target *target);
/* Writes the keys that a run and a node have.  Returns the recording if it is in memory, else
 * NULL. */
const struct recording *target_run_describe(struct target *target, struct json_out *json);
void target_run_look(struct target *target, size_t targets, struct target_state *state);
int target_run_write_nodes(struct target *target, struct json_out *json,
                           const struct node_question *question, const struct target_list *served,
                           struct fault *fault);
