/* recording.h - one recorded run of one process, in memory.  Every source becomes a recording;
 * every report, picture and export is made from one.
 *
 * Times are ns since the recording began.  The store fills a recording from a file, `formats` from
 * files of other programs, tests by hand.  No locking: one writer, or readers only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/vec.h"
#include "model/bucket.h"
#include "model/frame.h"
#include "model/labels.h"
#include "model/memory/mapping.h"
#include "model/mark.h"
#include "model/metric.h"
#include "model/own_metric.h"
#include "model/memory/owner.h"
#include "model/quality.h"
#include "model/recording_source.h"
#include "model/stack_table.h"
#include "model/string_table.h"
#include "model/totals.h"
#include "model/trait.h"

struct thread {
    uint32_t tid;
    string_id name;
    uint64_t first_ns, last_ns;
    /* Number of threads in this row: more than 1 if there were too many for rows of their own. */
    uint32_t merged;
};

/* What became of the process.  Stored by number. */
enum recording_end {
    END_UNKNOWN, /* Older recordings, and foreign files. */
    END_RUNS_ON, /* The process still ran when recording stopped. */
    END_OVER,    /* The process ended; in older recordings, or became another program. */
    END_REPLACED /* The process became another program by exec. */
};

/* Data that a reader computed from the recording and keeps with it.  A reader (analyze) gives each
 * slot its meaning: analyze/sums/recording_caches.h. */
struct recording_cache {
    void *data;              /* NULL: the slot is empty. */
    void (*destroy)(void *); /* Frees `data`; called by recording_destroy. */
};
#define RECORDING_CACHES_MAX 2

struct recording {
    string_id program, command_line, host, source; /* source: "memoir run", "heaptrack", ... */
    uint32_t pid, parent_pid;
    uint64_t start_unix_ns, duration_ns;
    int32_t exit_status; /* As from waitpid; -1 while running, or unknown. */
    uint64_t page_bytes, machine_bytes;
    uint64_t limit_bytes;     /* Memory limit of the process or its cgroup; 0: none. */
    uint64_t written_unix_ns; /* Time of the newest data in the file; 0 if unknown. */
    bool being_written;       /* When the file was read, a recorder was still writing it. */
    uint64_t end;             /* enum recording_end */
    uint64_t anon_peak_bytes; /* Largest resident memory without a file; 0 if unknown. */

    bool is_of_several; /* The outermost frames of stacks are names of nodes. */

    struct string_table *strings;
    struct stack_table *stacks;
    VEC(struct module) modules;
    VEC(struct location) locations;
    VEC(struct frame) frames;
    VEC(struct thread) threads;
    VEC(struct bucket) buckets; /* Ordered by time, without gaps. */
    VEC(struct pin) pins;
    VEC(struct trait) traits;  /* At most TRAITS_MAX, ordered by kind and place. */
    VEC(string_id) notes;      /* Sentences for the quality part of every report. */
    VEC(string_id) leak_rules; /* Leaks to ignore, as told by the program; syntax: suppress.h. */

    struct metric own_metrics[OWN_METRICS_MAX]; /* See own_metric.h. */
    unsigned own_metric_count;
    string_id shown_metric; /* Default metric that the file asks for; empty: none. */

    struct labelled labelled; /* Labels of a foreign file that will be written again; else empty. */

    struct mark_list marks;

    struct totals heap, maps;
    struct totals pools, regions; /* As told by the program through memoir.h. */
    struct quality quality;
    struct timing timing;
    struct cost cost;
    struct before before;
    struct residency residency;   /* Of the last look at the resident pages. */
    struct mapping_list mappings; /* Of one such look, not always the last. */

    /* Set by the store: loads the cells of a bucket into memory. */
    int (*load_bucket)(struct recording *recording, struct bucket *bucket, struct fault *fault);
    /* Set by the store, or NULL: reads only the cells of the columns whose flag is true, into lists
     * of the caller in place of what they hold.  Moments are left out. */
    int (*read_columns)(struct recording *recording, const struct bucket *bucket,
                        const bool *wanted, struct bucket_cells *into, struct fault *fault);
    void (*close)(struct recording *recording); /* Frees what load_bucket needs. */
    void *backing;
    /* Approximate number of cells in memory because of load_bucket; a moment counts as three. */
    size_t loaded_cells;

    struct recording_cache caches[RECORDING_CACHES_MAX];
};

struct recording *recording_create(void); /* NULL if out of memory. */
void recording_destroy(struct recording *recording);

/* Loads the cells of a bucket; returns at once if they are in memory.  Returns 0, or -errno with a
 * sentence. */
int recording_load_bucket(struct recording *recording, struct bucket *bucket, struct fault *fault);

/* Frees the cells of a bucket if they can be loaded again; otherwise does nothing. */
void recording_unload_bucket(struct recording *recording, struct bucket *bucket);

/* Returns the text of a string id. */
const char *recording_text(const struct recording *recording, string_id id);
/* Interns NUL-terminated text; returns STRING_EMPTY if out of memory. */
string_id recording_intern(struct recording *recording, const char *text);
/* Adds a stack of one new frame that has only a name.  Returns 0 or -ENOMEM. */
int recording_name_stack(struct recording *recording, string_id name, stack_id *stack);
/* Adds a sentence of at most 511 bytes to the notes; longer ones are cut.  Does nothing if out of
 * memory: a missing note is no reason to refuse a recording. */
void recording_note(struct recording *recording, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the path of the executable among the modules (the program may have been started by
 * another name); the program's own path if no module fits. */
string_id recording_own_path(const struct recording *recording);
/* Returns the first pin of a kind, or NULL. */
const struct pin *recording_pin(const struct recording *recording, enum pin_kind kind);
