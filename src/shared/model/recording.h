/* recording.h - one recorded run of one process, in memory: what every source becomes and every
 * report, picture and export is made from.
 *
 * Times are ns since the recording began.  Addresses are ELF virtual addresses inside a module.
 * The store fills one from a file, `formats` from other programs' files, tests by hand.
 * No locking: one writer, or readers only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"
#include "base/vec.h"
#include "model/labels.h"
#include "model/mapping.h"
#include "model/mark.h"
#include "model/metric.h"
#include "model/owner.h"
#include "model/stack_table.h"
#include "model/string_table.h"
#include "model/trait.h"

struct module {
    string_id path;
    string_id build_id;  /* lower-case hex, or empty */
    uint64_t start, end; /* where it was mapped, for people and for pprof; 0 when unknown */
    uint64_t bias;       /* mapped address - ELF virtual address */
    const char *
        root; /* while it is recorded: prefix of the path where its process has another root; else NULL.  Not written, lives for ever */
};

/* One source position.  A frame has one location per inlined function, innermost first, and the
 * real function last; a frame without locations has no known name. */
struct location {
    string_id function; /* demangled; empty when unknown */
    string_id symbol;   /* as in the symbol table; may be empty */
    string_id file;
    uint32_t line; /* 0 when unknown */
};

#define MODULE_NONE UINT32_MAX
/* Path of the module that frames inside the kernel have; their address is the kernel's own. */
#define KERNEL_PATH "[kernel]"
/* Name of the one frame of what a foreign file gives as a sum only, where it gives others by stack. */
#define UNTOLD_FRAME "[not told by call site]"
struct frame {
    uint32_t module; /* index into modules, or MODULE_NONE */
    uint32_t first_location, location_count;
    /* Of one without a name: how far its address is from the first instruction of its function, plus 1; 0: not known. */
    uint32_t into_function;
    uint64_t address; /* the call: return address minus one, minus the module's bias */
};

/* `key` is a stack_id or a thread index, by the list it stands in. */
struct cell {
    uint32_t key;
    uint16_t column; /* enum column */
    int64_t value;
};

struct thread {
    uint32_t tid;
    string_id name;
    uint64_t first_ns, last_ns;
    uint32_t merged; /* threads counted in this row: 1, or more when there were too many to tell */
};

/* Process-wide numbers over one bucket.  -1 where not measured. */
struct gauges {
    int64_t rss_bytes;                    /* at the end */
    int64_t heap_live_end, heap_live_max; /* bytes */
    int64_t heap_live_min;
};

/* One thread in one stack: a sample of it, or the end of a wait.  Its cells say the same by stack and by thread
 * alone; this says it by both, and when. */
struct moment {
    uint64_t
        after_ns; /* since its bucket began, or MOMENT_TIMELESS: the sum of several, of a coarsened bucket */
    uint32_t thread; /* index into threads */
    stack_id stack;
    uint32_t count;  /* samples or waits: 1 */
    uint16_t column; /* COL_CPU_NS, COL_OFFCPU_NS or of a metric of its own */
    int64_t value;   /* ns, or in the unit of that metric */
};
#define MOMENT_TIMELESS UINT64_MAX

/* What happened in [begin_ns, end_ns).  Cells are the sums of that time alone. */
struct bucket {
    uint64_t begin_ns, end_ns;
    struct gauges gauges;
    int64_t rss_max; /* the largest of several samples; 0 or -1: gauges.rss_bytes is the only one */
    int64_t pss_bytes; /* as last read in it; 0: it was not */
    int64_t pss_max;   /* the largest of several; 0: pss_bytes is the only one */
    int64_t
        own_bytes; /* of rss_bytes: what recording takes in the process; 0: nothing, or not known */
    uint64_t lost_events; /* dropped because the reader was not there in time */
    struct cell *cells;   /* by stack; NULL until loaded, see recording_load_bucket */
    size_t cell_count;
    struct cell *thread_cells;
    size_t thread_cell_count;
    struct moment *moments; /* by time; likewise */
    size_t moment_count;
    uint64_t file_offset; /* for the loader; 0 when the cells are here */
};

enum pin_kind { PIN_PEAK = 1, PIN_DEATH = 2, PIN_MARK = 3, PIN_END = 4, PIN_POOL_PEAK = 5 };
/* A later peak takes the place of an earlier one of its kind. */
static inline bool pin_is_peak(enum pin_kind kind)
{
    return kind == PIN_PEAK || kind == PIN_POOL_PEAK;
}
/* The whole picture of one instant: level columns (plus side only, already net), by stack/thread.
 */
struct pin {
    enum pin_kind kind;
    uint64_t time_ns;
    string_id label; /* "killed by SIGKILL", the name of a mark */
    struct cell *cells;
    size_t cell_count;
    struct cell *thread_cells;
    size_t thread_cell_count;
};

/* Why a stack could not be walked to its outer end, counted per event. */
enum stack_end {
    STACK_END_COMPLETE,  /* reached _start, the thread entry or their equal */
    STACK_END_NO_RULE,   /* code without unwind information */
    STACK_END_BAD_FRAME, /* the rules led outside the stack */
    STACK_END_TOO_DEEP,  /* innermost and outermost frames kept, the middle left out */
    STACK_END_TABLE_FULL,
    STACK_END_CUT,       /* goes on outside of the part that was copied */
    STACK_END_NOT_TAKEN, /* too many new ones at once, or it could not be read */
    STACK_END_KINDS
};

/* Whose stacks: each is taken in its own way, and may be as incomplete as it likes. */
enum stack_source {
    STACK_SOURCE_HEAP,
    STACK_SOURCE_CPU,   /* samples */
    STACK_SOURCE_WAITS, /* those that are told one by one */
    STACK_SOURCE_PAGES, /* faults */
    STACK_SOURCES
};
const char *stack_source_name(enum stack_source source);

struct stack_share {
    uint64_t stacks, complete;
};

/* The outermost frame of what was not walked to its outer end. */
#define STACK_CUT_NAME "[stack cut here]"
/* Code of memoir itself, in the program or beside it. */
#define OWN_CODE_NAME "[memoir]"

struct quality {
    uint64_t events;                 /* allocs + frees + maps seen */
    uint64_t lost_events;            /* dropped at a full ring */
    uint64_t lost_calls, lost_bytes; /* of them, allocations: in the totals, in no stack */
    uint64_t lost_frees;             /* of them, frees: blocks that are gone may count as live */
    uint64_t implied_frees;          /* a block reappeared at a live address: its free was lost */
    uint64_t
        unknown_frees; /* frees of blocks allocated before we looked, or whose alloc was lost */
    uint64_t left_out_frees; /* further ones, of blocks that were left out or allocated before */
    uint64_t stack_ends[STACK_END_KINDS]; /* events by how their stack ended */
    struct stack_share
        sources[STACK_SOURCES]; /* the same by source; files of others, and older ones, have none */
    uint64_t collapsed_stacks;  /* events whose deep recursion was folded */
    uint64_t damaged_chunks;    /* of the file: failed checksum, skipped */
    uint64_t truncated_bytes;   /* at its end: torn by a crash */
    uint64_t sample_rate;      /* bytes per sample, the most there were; 0: everything was traced */
    uint64_t samples_dropped;  /* found no room in the tracer */
    uint64_t unfollowed_bytes; /* of blocks that were live when sampling began: booked as freed */
    uint64_t gaps,
        longest_gap_ns; /* times that a thread's events were dropped, one after the other */
    /* Live at the end, or at the peak, may be less by this much, because frees were lost; and more by lost_bytes. */
    uint64_t live_doubt_bytes, peak_doubt_bytes;
    /* The same of blocks, and of those that counted as live at the time of the peak. */
    uint64_t live_doubt_calls, peak_doubt_calls;
    /* Allocations that came faster than they could be recorded, where the program was not to wait: they are in the
     * totals, and estimated from samples everywhere else. */
    uint64_t thinned_calls, thinned_bytes;
    /* How uncertain what is live, and what was at the peak, is because blocks were sampled: see sampling.h. */
    uint64_t live_spread, peak_spread;
    uint64_t live_call_spread, peak_call_spread; /* of the number of blocks */
    uint64_t has_spread;                         /* 1: those two, and the columns, are there */
    uint64_t unwritten_from_ns; /* what came later could not be written; 0: all was */
    uint64_t unwritten_error;   /* then: why, an errno */
    /* The peak may differ by this much, because the order of what several threads did is not known any finer. */
    uint64_t peak_order_bytes;
    uint64_t off_ns; /* how long the heap was not traced at all: blocks of then are missing */
    bool complete;   /* the recorder ended in order */
    bool coarsened;  /* older buckets were merged to stay under the size cap */
};

/* `count` more events of a source whose stacks ended so. */
void quality_add_stacks(struct quality *quality, enum stack_source source, enum stack_end end,
                        uint64_t count);

/* What the process had when its recording began, if it ran already; all 0 when it did not. */
struct before {
    uint64_t attached;   /* 1 */
    uint64_t rss_bytes;  /* resident then */
    uint64_t heap_bytes; /* of it, [heap] */
    uint64_t
        anonymous_bytes; /* of it, other private memory in no file: mmapped heaps, stacks of threads */
    uint64_t borrowed_ns; /* how long a thread of it worked for us, to begin and to end */
    uint64_t
        stopped_ns; /* how long the one stood still that did so longest, when we only looked at it */
};

/* How good the samples of processor time are, and the waits; all 0 when there are none. */
struct timing {
    uint64_t hz;      /* asked for; 0: time on a processor was not sampled */
    uint64_t samples; /* taken */
    uint64_t
        cpu_ns; /* that the process used meanwhile, by the kernel's own account: samples should be cpu_ns * hz / 1e9 */
    uint64_t lost;           /* samples that found no room */
    uint64_t throttled;      /* times that the kernel held samples back */
    uint64_t in_kernel;      /* samples, of `samples` */
    uint64_t kernel_unnamed; /* of those, because the kernel's addresses are hidden */
    uint64_t waits;          /* seen */
    uint64_t wait_ns;
    uint64_t waits_lost;
    uint64_t waits_without_stack;  /* of `waits` */
    uint64_t is_counted_by_cycles; /* 1: by the processor's own counter; 0: by a clock */
};

struct cost {
    uint64_t target_waits, target_wait_ns; /* stalls at a full ring */
    uint64_t recorder_cpu_ns;
    uint64_t recorder_rss_bytes;
    uint64_t arena_bytes;  /* shared memory in use */
    uint64_t ns_per_event; /* added to the program, measured in place by sampling; 0 unknown */
};

/* Whole-run totals, exact also when single events were lost. */
struct totals {
    uint64_t calls, bytes, frees, freed_bytes, temporary;
    uint64_t peak_bytes, peak_count, peak_time_ns;
    uint64_t slack_bytes;      /* usable - asked for, of all allocations */
    uint64_t peak_slack_bytes; /* the same of the blocks live at the peak */
};

/* What became of the process.  Stored by number. */
enum recording_end {
    END_UNKNOWN, /* older recordings, and other programs' files */
    END_RUNS_ON, /* it still ran when recording stopped */
    END_OVER,    /* it ended, or became another program */
};

struct recording {
    string_id program, command_line, host, source; /* source: "memoir run", "heaptrack", ... */
    uint32_t pid, parent_pid;
    uint64_t start_unix_ns, duration_ns;
    int32_t exit_status; /* as waitpid gives it; -1 while running or unknown */
    uint64_t page_bytes, machine_bytes;
    uint64_t limit_bytes; /* that its memory must not reach, of its cgroup or its own; 0: none */
    uint64_t written_unix_ns; /* as of when the file tells; 0 unknown */
    bool being_written;       /* when it was read, a recorder had it open and was not done */
    uint64_t end;             /* enum recording_end */
    uint64_t anon_peak_bytes; /* resident and in no file: the most of it; 0 unknown */

    bool is_of_several; /* the outermost frames of stacks are names of nodes */

    struct string_table *strings;
    struct stack_table *stacks;
    VEC(struct module) modules;
    VEC(struct location) locations;
    VEC(struct frame) frames;
    VEC(struct thread) threads;
    VEC(struct bucket) buckets; /* by time, without gaps */
    VEC(struct pin) pins;
    VEC(struct trait) traits;  /* at most TRAITS_MAX, by kind and place */
    VEC(string_id) notes;      /* sentences for the quality part of every report */
    VEC(string_id) leak_rules; /* leaks the program itself says are none, as in suppress.h */

    struct metric own_metrics[OWN_METRICS_MAX]; /* that no other recording has; see own_metric.c */
    unsigned own_metric_count;
    string_id
        shown_metric; /* what the file itself wants to be shown unasked; empty: it does not say */

    struct labelled labelled; /* of a file read to be written again; else empty */

    struct mark_list marks;

    struct totals heap, maps;
    struct totals pools, regions; /* as the program told through memoir.h */
    struct quality quality;
    struct timing timing;
    struct cost cost;
    struct before before;
    struct residency residency;   /* of the last time that its pages were looked at */
    struct mapping_list mappings; /* of one such time, not always the last */

    /* Set by the store: brings the cells of a bucket into memory. */
    int (*load_bucket)(struct recording *recording, struct bucket *bucket, struct fault *fault);
    void (*close)(struct recording *recording); /* frees what load_bucket needs */
    void *backing;
    size_t
        loaded_cells; /* about how many are in memory because of it; a moment is as large as three */

    struct sum_tree *
        sums; /* over stretches of it, for those who walk it: analyze/sums/sum_tree.h; NULL: none */
    void (*destroy_sums)(struct sum_tree *sums);
    struct call_shapes *
        shapes; /* of its stacks, for those who make trees of them: analyze/trees/call_shape.h; NULL: none */
    void (*destroy_shapes)(struct call_shapes *shapes);
};

struct recording *recording_create(void); /* NULL when out of memory */
void recording_destroy(struct recording *recording);

/* Makes the cells of a bucket available; 0 at once when they are. */
int recording_load_bucket(struct recording *recording, struct bucket *bucket, struct fault *fault);

/* Gives the memory of cells that can be loaded again back; others stay. */
void recording_unload_bucket(struct recording *recording, struct bucket *bucket);

/* Text shorthands. */
const char *recording_text(const struct recording *recording, string_id id);
/* Interns NUL-terminated text; STRING_EMPTY when out of memory. */
string_id recording_intern(struct recording *recording, const char *text);
/* A new stack of one frame that is only a name.  0 or -ENOMEM. */
int recording_name_stack(struct recording *recording, string_id name, stack_id *stack);
/* Adds a sentence to the notes, at most 500 bytes; nothing when out of memory: a note less is no
 * reason to refuse a recording. */
void recording_note(struct recording *recording, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Whether allocations were traced at all: not by those who only look from outside. */
#define SOURCE_PAGES           "memoir pages"
#define SOURCE_CPU             "memoir cpu"
#define SOURCE_PERF            "perf"                 /* its version may follow */
#define SOURCE_PERF_COUNTS     SOURCE_PERF ", counts" /* the same: no event of it is time */
#define SOURCE_COSTS           "callgrind"
#define SOURCE_PPROF           "pprof" /* which all of these begin with */
#define SOURCE_PPROF_HEAP      SOURCE_PPROF ", heap"
#define SOURCE_PPROF_LIVE      SOURCE_PPROF_HEAP ", live" /* the same: of that alone */
#define SOURCE_PPROF_ALLOCATED SOURCE_PPROF_HEAP ", allocated"
#define SOURCE_PPROF_TIME      SOURCE_PPROF ", time"
#define SOURCE_PPROF_COUNTS    SOURCE_PPROF ", counts"
bool recording_traces_heap(const struct recording *recording);
/* Whether time is all that it is about. */
bool recording_is_of_time(const struct recording *recording);
/* Whether outermost frames are whole processes or nodes. */
bool recording_is_of_several(const struct recording *recording);
/* Whether its process may have gone on when recording stopped: then what was live then is not leaked.  Not while it is written. */
bool recording_ran_on(const struct recording *recording);
/* Whether it is one of memoir's own whose recorder was killed: what it would have done in the end, such as to find the last names, is missing. */
bool recording_was_cut(const struct recording *recording);
/* Whether it says how many blocks there were: some files of other programs tell their bytes alone. */
bool recording_counts_blocks(const struct recording *recording);
/* Whether it says what of the heap is live, and what was ever allocated: a profile of pprof may have one of them alone. */
bool recording_knows_live(const struct recording *recording);
bool recording_knows_allocated(const struct recording *recording);
/* Whether it was made from costs of functions, which have no time and no single blocks. */
bool recording_is_of_costs(const struct recording *recording);
/* Whether it says when the heap was largest: one profile of pprof, and costs, do not. */
bool recording_knows_peak_time(const struct recording *recording);
/* Whether it was made from profiles of pprof, which have sums and no events. */
bool recording_is_of_profiles(const struct recording *recording);
/* Whether it is about numbers of its own and nothing that memoir measures. */
bool recording_is_of_counts(const struct recording *recording);
/* A metric of its own, in the column it is given: its name and unit are copied.  NULL when there are too many or no memory.  The one of that name, if it is there. */
const struct metric *recording_add_metric(struct recording *recording, struct slice name,
                                          struct slice unit, enum metric_kind kind);
/* One of its own, or one that every recording has; NULL when there is none of that name. */
const struct metric *recording_metric(const struct recording *recording, const char *name);
void recording_free_metrics(struct recording *recording); /* for recording_destroy */
/* Path of the executable among its modules, which may have been started by another name; the program's own path when none is known. */
string_id recording_own_path(const struct recording *recording);
/* The first pin of a kind, or NULL. */
const struct pin *recording_pin(const struct recording *recording, enum pin_kind kind);
