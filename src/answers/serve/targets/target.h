/* target.h - what is watched: a process, its recording, a recording alone; or what was watched:
 * a file of another program, a node of a run.
 *
 * What is no recording of memoir's is read as a whole, a node of a run when it is first asked
 * about, and again as the run grows. One thread at a time.  A process may have no recording yet:
 * it is looked for now and then.  A number that belongs to another process now is told by when
 * that one began. */
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

/* NULL with a sentence when there is neither such a process nor such a recording.  The options
 * are copied, not the path. */
struct target *target_open(const struct target_options *options, struct fault *fault);
void target_close(struct target *target); /* NULL is allowed */

/* Returns the recording as of now, with its running sums (if `running` is not NULL); both until the
 * next call.  NULL with a sentence that says what to do when there is none. */
struct recording *target_recording(struct target *target, const struct running **running,
                                   struct fault *fault);
/* What is known without adding up all of it, which takes seconds for a large file: whether
 * anything was found of a metric (see columns_used.h), and the end of its last bucket. */
bool target_has(const struct target *target, const struct metric *metric);
uint64_t target_time(const struct target *target);
/* Whether memory grows, of the recording that target_recording last gave; made once for what is
 * there, because that may take seconds.  NULL with a sentence when it cannot be read. */
const struct recording_growth *target_growth(struct target *target, struct fault *fault);
/* Returns how large the file of the recording is; of a run that of its folder means nothing: 0. */
uint64_t target_bytes(const struct target *target);

enum target_kind target_kind(const struct target *target);
const char *target_kind_name(const struct target *target); /* "process"; of all files "recording" */
/* Returns whether it is read when it is first asked about, as runs and their nodes are; has a row
 * of its own in /api/nodes; is told of by /api/events by itself. */
bool target_is_read_late(const struct target *target);
bool target_has_row(const struct target *target);
bool target_is_told(const struct target *target);

/* Keys of /api/targets but for the id and the kind. */
void target_describe(struct target *target, struct json_out *json);
/* The whole of /api/nodes when this target was chosen, as node_rows.h. */
int target_write_nodes(struct target *target, struct json_out *json,
                       const struct node_question *question, const struct target_list *served,
                       struct fault *fault);

/* How it is with it now (target_state.h), one of so many targets; nothing of a run is read. */
void target_look(struct target *target, size_t targets, struct target_state *state);

/* Returns the run that it is of, or NULL. */
struct served_run *target_run(const struct target *target);
const char *target_nick(const struct target *target);    /* NULL: no node */
const char *target_profile(const struct target *target); /* NULL: not of a run, or the usual */

/* Returns where the history is; NULL: it is none. */
const char *target_history(const struct target *target);

/* Returns whether its recording is in memory; and of a node of a run, so that it can be let go:
 * when it was last asked for, monotonic (0: never). */
bool target_is_open(const struct target *target);
uint64_t target_used_ns(const struct target *target);
void target_rest(struct target *target);
/* Before each request: only after that a run which has grown is read again, so what was got
 * during a request stays. */
void target_tend(struct target *target);

/* Goes on making sums over stretches of a large recording (analyze/sums/sum_tree.h) that may take
 * so much memory, for about so long. Returns whether there is more to do. */
bool target_sum_up(struct target *target, size_t bytes_most, uint64_t budget_ns);

/* The process as of now.  0; -ESRCH with a sentence when it has ended, -ENOENT when none is
 * watched. */
int target_memory(struct target *target, struct memory_status *memory, struct fault *fault);
const struct target_beside *target_beside(const struct target *target);
uint32_t target_pid(const struct target *target);      /* 0: none */
uint64_t target_began_ns(const struct target *target); /* the process, unix time; 0: unknown */

/* Returns the number of the process as --pid or the recording says; 0: not known yet. */
uint32_t target_known_pid(const struct target *target);
/* That process as of now, also when only its recording is served, as long as that is being written.
 * Returns 0 or -ESRCH when it has ended or may be another one by now. */
int target_known_memory(struct target *target, struct memory_status *memory);

/* Returns the file of the recording without its folders; "" when there is none. */
const char *target_file(const struct target *target);

/* Returns the last tree of pages that was made of the recording, for whoever asks for the same
 * again; NULL: none. */
struct tree_text **target_kept_tree(struct target *target);

/* For the numbers that /metrics remembers between two calls; NULL when out of memory. */
struct metrics_state *target_metrics_state(struct target *target);

/* Returns the last look at its mappings, for whoever asks for them again soon; NULL: none. */
struct map_look **target_map_look(struct target *target);
