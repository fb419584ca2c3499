/* target.h - what is watched: a process, its recording, or a recording alone.
 *
 * One thread at a time.  A process may have no recording yet: it is looked for now and then.  A number that belongs to
 * another process now is told by when that one began. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "analyze/running.h"
#include "procfs/memory_status.h"
#include "store/recording_follow.h"

struct target;

/* As find_recording: 0 with the path of the recording that is being made of a process. */
typedef int find_recording_of(uint32_t pid, char path[PATH_MAX], struct fault *fault);

/* Programs and places that help with what the server itself does not do; NULL: there is none. */
struct target_beside {
    const char *live;     /* looks into processes: serve/live_words.h */
    const char *fetch;    /* asks other servers */
    const char *go_pprof; /* where the process serves net/http/pprof itself: go_endpoint_parse */
};

struct target_options {
    uint32_t pid;            /* 0: none */
    const char *path;        /* of a recording; NULL: that of the process, when there is one */
    find_recording_of *find; /* may be NULL */
    struct target_beside beside;
    uint64_t sites; /* call sites with numbers of their own in /metrics, about */
};

/* NULL with a sentence when there is neither such a process nor such a recording.  The options are copied, not the
 * path. */
struct target *target_open(const struct target_options *options, struct fault *fault);
void target_close(struct target *target); /* NULL is allowed */

/* The recording as of now, with its running sums (if `running` is not NULL); both until the next call.  NULL with a
 * sentence that says what to do when there is none. */
struct recording *target_recording(struct target *target, const struct running **running,
                                   struct fault *fault);

/* The process as of now.  0; -ESRCH with a sentence when it has ended, -ENOENT when none is watched. */
int target_memory(struct target *target, struct memory_status *memory, struct fault *fault);
const struct target_beside *target_beside(const struct target *target);
uint32_t target_pid(const struct target *target);      /* 0: none */
uint64_t target_began_ns(const struct target *target); /* the process, unix time; 0: unknown */

/* The number of the process as --pid or the recording says; 0: not known yet. */
uint32_t target_known_pid(const struct target *target);
/* That process as of now, also when only its recording is served, as long as that is being written.  0, or -ESRCH when it
 * has ended or may be another one by now. */
int target_known_memory(struct target *target, struct memory_status *memory);

/* The file of the recording without its folders; "" when there is none. */
const char *target_file(const struct target *target);

/* The last tree of pages that was made of the recording, for whoever asks for the same again; NULL: none. */
struct tree_text **target_kept_tree(struct target *target);

/* For the numbers that /metrics remembers between two calls. */
struct metrics_state **target_metrics_state(struct target *target);
