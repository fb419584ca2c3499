/* target_operations.h - what differs from one kind of target to the next.
 *
 * Each kind has a file target_KIND.c with its row of operations.  Only the files of this folder
 * include this header; others call the functions of target.h, which ask the row. To add a kind:
 * its value in enum target_kind, its file, its row below and in target.c. */
#pragma once

#include "base/json_out.h"
#include "serve/targets/target.h"

struct target_operations {
    const char *name;  /* in answers: "process" */
    bool is_read_late; /* when it is first asked about; may be let go and read again */
    bool has_row;      /* of its own in /api/nodes */
    bool is_told;      /* by /api/events */
    /* At the start.  Returns 0 or -errno with a sentence.  NULL: nothing is to be done. */
    int (*open)(struct target *target, struct fault *fault);
    /* Reads all of it, for target_show_whole; NULL with a sentence.  The caller destroys.  NULL:
     * it is followed, or has no recording. */
    struct recording *(*read)(struct target *target, struct fault *fault);
    /* As target_recording, without sums. */
    struct recording *(*recording)(struct target *target, struct fault *fault);
    /* As target_memory, target_known_pid and target_known_memory. */
    int (*memory)(struct target *target, struct memory_status *memory, struct fault *fault);
    uint32_t (*known_pid)(const struct target *target);
    int (*known_memory)(struct target *target, struct memory_status *memory);
    /* As target_tend.  NULL: nothing is to be done. */
    void (*tend)(struct target *target);
    /* As target_describe, target_look and target_write_nodes. */
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

/* Of a file, be it a recording or another program's: what is known of the process that it is of. */
int target_file_memory(struct target *target, struct memory_status *memory, struct fault *fault);
uint32_t target_file_known_pid(const struct target *target);
int target_file_known_memory(struct target *target, struct memory_status *memory);

/* Of whatever has one recording. */
void target_recording_describe(struct target *target, struct json_out *json);
void target_recording_look(struct target *target, size_t targets, struct target_state *state);
int target_recording_write_nodes(struct target *target, struct json_out *json,
                                 const struct node_question *question,
                                 const struct target_list *served, struct fault *fault);

/* Of a run and of its nodes. */
struct recording *target_run_recording(struct target *target, struct fault *fault);
/* Reads the profiles of node `nick`, NULL: of all. */
struct recording *target_run_read(struct target *target, const char *nick, struct fault *fault);
int target_run_memory(struct target *target, struct memory_status *memory, struct fault *fault);
uint32_t target_run_known_pid(const struct target *target);
int target_run_known_memory(struct target *target, struct memory_status *memory);
void target_run_tend(struct target *target);
/* Keys that both have; the recording, when it is in memory. */
const struct recording *target_run_describe(struct target *target, struct json_out *json);
void target_run_look(struct target *target, size_t targets, struct target_state *state);
int target_run_write_nodes(struct target *target, struct json_out *json,
                           const struct node_question *question, const struct target_list *served,
                           struct fault *fault);
