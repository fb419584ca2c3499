/* recording_source.h - where a recording came from, and what a recording of that source can
 * tell. */
#pragma once

#include <stdbool.h>

struct recording;

/* Values of recording->source, beside those of tracing ("memoir run", "heaptrack", ...). */
#define SOURCE_PAGES           "memoir pages"
#define SOURCE_CPU             "memoir cpu"
#define SOURCE_PERF            "perf"                 /* A version may follow. */
#define SOURCE_PERF_COUNTS     SOURCE_PERF ", counts" /* None of its events is time. */
#define SOURCE_COSTS           "callgrind"
#define SOURCE_MASSIF          "massif"
#define SOURCE_PPROF           "pprof" /* Prefix of all sources below. */
#define SOURCE_PPROF_HEAP      SOURCE_PPROF ", heap"
#define SOURCE_PPROF_LIVE      SOURCE_PPROF_HEAP ", live"      /* Live memory only. */
#define SOURCE_PPROF_ALLOCATED SOURCE_PPROF_HEAP ", allocated" /* Allocated memory only. */
#define SOURCE_PPROF_TIME      SOURCE_PPROF ", time"
#define SOURCE_PPROF_COUNTS    SOURCE_PPROF ", counts"

/* Returns whether allocations were traced: not so for sources that only look from outside. */
bool recording_traces_heap(const struct recording *recording);
/* Returns whether the recording is about time only. */
bool recording_is_of_time(const struct recording *recording);
/* Returns whether the outermost frames are whole processes or nodes. */
bool recording_is_of_several(const struct recording *recording);
/* Returns whether the process may have gone on when recording stopped: memory that was live then is
 * not leaked.  False while the recording is being written. */
bool recording_ran_on(const struct recording *recording);
/* What the numbers of live memory at the end of the recording are of. */
enum live_when {
    LIVE_UNWRITTEN,   /* The last instant that could be written. */
    LIVE_NOW,         /* The recording is being written. */
    LIVE_REPLACED,    /* The process became another program. */
    LIVE_STOPPED,     /* Recording stopped, and the process may have gone on. */
    LIVE_AT_SNAPSHOT, /* The last snapshot. */
    LIVE_AT_END       /* The end of the process: it was never freed. */
};
enum live_when recording_live_when(const struct recording *recording);
/* Returns its name in JSON. */
const char *live_when_key(enum live_when when);
/* Returns whether memoir made the recording and the recorder was killed: its final work, such as
 * resolving the last names, is missing. */
bool recording_was_cut(const struct recording *recording);
/* Returns whether the number of blocks is known: some foreign files have bytes only. */
bool recording_counts_blocks(const struct recording *recording);
/* Return whether live memory, and all memory ever allocated, is known: a pprof profile may have
 * only one of them. */
bool recording_knows_live(const struct recording *recording);
bool recording_knows_allocated(const struct recording *recording);
/* Returns whether the recording was made from costs of functions, without time or single blocks. */
bool recording_is_of_costs(const struct recording *recording);
/* Whether its end is that of its last snapshot, and not that of the program. */
bool recording_ends_at_snapshot(const struct recording *recording);
/* Returns whether the time of the peak is known: not so for a single pprof profile and for
 * costs. */
bool recording_knows_peak_time(const struct recording *recording);
/* Returns whether the recording was made from pprof profiles, which have sums and no events. */
bool recording_is_of_profiles(const struct recording *recording);
/* Returns whether all metrics are the file's own: none that memoir measures. */
bool recording_is_of_counts(const struct recording *recording);
