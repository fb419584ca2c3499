/* target.h - a target is what the server shows: a process with its recording, a recording alone, a
 * file of another program, a run, or a node of a run.
 *
 * A file that is not a recording of memoir is read as a whole; a node of a run is read when a
 * client first asks for it, and again when the run has grown.  Only one thread at a time may call
 * these functions.  A process may have no recording yet: the target searches for one now and then.
 * A PID that another process has now is detected by the time that the process began. */
#pragma once

#include <stdbool.h>

#include "analyze/growth/recording_growth.h"
#include "analyze/sums/running.h"
#include "procfs/memory/memory_status.h"
#include "serve/targets/target_options.h"
#include "store/read/recording_follow.h"

struct json_out;
struct node_question;
struct target;
struct target_list;
struct target_state;

/* Opens a target.  The options are copied, except the path.  Returns NULL with a sentence if there
 * is no such process or recording. */
struct target *target_open(const struct target_options *options, struct fault *fault);
void target_close(struct target *target); /* NULL is allowed */

/* Returns the recording as of now, with its running sums (if `running` is not NULL); both are valid
 * until the next call.  NULL, with a sentence that says what to do, if there is no recording. */
struct recording *target_recording(struct target *target, const struct running **running,
                                   struct fault *fault);
/* Functions that do not sum up the recording, which takes seconds for a large file: whether a
 * metric has any value (see columns_used.h), and the end of the last bucket. */
bool target_has(const struct target *target, const struct metric *metric);
uint64_t target_time(const struct target *target);
/* Returns the growth of the recording that target_recording last returned.  The growth is computed
 * once per state of the recording, because that may take seconds.  NULL with a sentence if the
 * recording cannot be read. */
const struct recording_growth *target_growth(struct target *target, struct fault *fault);
/* Returns the size of the recording's file; 0 for a run, whose folder has no such size. */
uint64_t target_bytes(const struct target *target);

enum target_kind target_kind(const struct target *target);
/* "process"; for every kind of file "recording" */
const char *target_kind_name(const struct target *target);
/* Return whether the target is read when a client first asks for it, as runs and their nodes are;
 * whether it has a row of its own in /api/nodes; whether /api/events reports it by itself. */
bool target_is_read_late(const struct target *target);
bool target_has_row(const struct target *target);
bool target_is_told(const struct target *target);

/* Writes the keys of /api/targets, except id and kind. */
void target_describe(struct target *target, struct json_out *json);
/* Writes the whole answer of /api/nodes for this target, like node_rows.h. */
int target_write_nodes(struct target *target, struct json_out *json,
                       const struct node_question *question, const struct target_list *served,
                       struct fault *fault);

/* Fills *state (target_state.h).  `targets` is the number of all targets.  Reads nothing of a
 * run. */
void target_look(struct target *target, size_t targets, struct target_state *state);

/* Returns the run that the target belongs to, or NULL. */
struct served_run *target_run(const struct target *target);
const char *target_nick(const struct target *target);    /* NULL: the target is not a node */
const char *target_profile(const struct target *target); /* NULL: not of a run, or the default */

/* Returns the path of the history; NULL: the target is not a history. */
const char *target_history(const struct target *target);

/* Whether the recording is in memory.  For a node of a run, which can be dropped from memory: the
 * monotonic time when a client last asked for it (0: never); drops it. */
bool target_is_open(const struct target *target);
uint64_t target_used_ns(const struct target *target);
void target_rest(struct target *target);
/* Call it before each request.  Only then is a run that has grown read again, so what a request got
 * stays valid during the request. */
void target_tend(struct target *target);

/* Continues to make sums over time ranges of a large recording (analyze/sums/sum_tree.h), for about
 * `budget_ns`, with at most `bytes_most` of memory.  Returns whether there is more to do. */
bool target_sum_up(struct target *target, size_t bytes_most, uint64_t budget_ns);

/* Reads the memory status of the process.  Returns 0; -ESRCH with a sentence if the process has
 * ended, -ENOENT if the target has no process. */
int target_memory(struct target *target, struct memory_status *memory, struct fault *fault);
const struct target_beside *target_beside(const struct target *target);
uint32_t target_pid(const struct target *target); /* 0: none */
/* Unix time when the process began; 0: unknown */
uint64_t target_began_ns(const struct target *target);

/* Returns the PID from --pid or from the recording; 0: not known yet. */
uint32_t target_known_pid(const struct target *target);
/* Reads the memory status of that process, also if only its recording is served, as long as the
 * recording is being written.  Returns 0; or -ESRCH if the process has ended, or the PID may belong
 * to another process by now. */
int target_known_memory(struct target *target, struct memory_status *memory);

/* Returns the name of the recording's file, without folders; "" if there is none. */
const char *target_file(const struct target *target);

/* Returns the place of the last tree of pages that was made of the recording, for clients that ask
 * for it again; NULL in the place: none. */
struct tree_text **target_kept_tree(struct target *target);

/* Returns the numbers that /metrics keeps between requests; NULL when out of memory. */
struct metrics_state *target_metrics_state(struct target *target);

/* Returns the place of the last look at the mappings, for clients that soon ask again; NULL in the
 * place: none. */
struct map_look **target_map_look(struct target *target);
