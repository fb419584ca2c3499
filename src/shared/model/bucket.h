/* bucket.h - the numbers of a recording: cells, moments, buckets and pins.
 *
 * Times are ns since the recording began. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stack_table.h"
#include "model/string_table.h"

/* `key` is a stack_id or a thread index, depending on the list that holds the cell. */
struct cell {
    uint32_t key;
    uint16_t column; /* enum column */
    int64_t value;
};

/* Numbers of the whole process over one bucket; -1 if not measured. */
struct gauges {
    int64_t rss_bytes;                    /* At the end of the bucket. */
    int64_t heap_live_end, heap_live_max; /* Bytes. */
    int64_t heap_live_min;
};

/* One sample of a thread, or the end of one wait, with its stack.  Cells hold the same numbers by
 * stack alone and by thread alone; a moment has both, and the time. */
struct moment {
    /* Time since the bucket began; MOMENT_TIMELESS for a sum of several, in a coarsened bucket. */
    uint64_t after_ns;
    uint32_t thread; /* Index into the recording's threads. */
    stack_id stack;
    uint32_t count;  /* Number of samples or waits: 1, unless timeless. */
    uint16_t column; /* COL_CPU_NS, COL_OFFCPU_NS, or the column of a metric of the recording. */
    int64_t value;   /* In ns, or in the unit of that metric. */
};
#define MOMENT_TIMELESS UINT64_MAX

/* What happened in [begin_ns, end_ns).  Cells are sums over that time alone. */
struct bucket {
    uint64_t begin_ns, end_ns;
    struct gauges gauges;
    int64_t rss_max;      /* Largest of several RSS samples; 0 or -1: only gauges.rss_bytes. */
    int64_t pss_bytes;    /* Last PSS value read in the bucket; 0: none was read. */
    int64_t pss_max;      /* Largest of several PSS values; 0: pss_bytes is the only one. */
    int64_t own_bytes;    /* Part of rss_bytes that recording itself uses; 0: none, or unknown. */
    uint64_t lost_events; /* Events dropped because the reader was too slow. */
    struct cell *cells;   /* By stack; NULL until loaded, see recording_load_bucket. */
    size_t cell_count;
    struct cell *thread_cells; /* By thread; NULL until loaded. */
    size_t thread_cell_count;
    struct moment *moments; /* Ordered by time; NULL until loaded. */
    size_t moment_count;
    uint64_t file_offset; /* Where the loader finds the cells; 0: they are in memory only. */
};

struct cell_list {
    struct cell *items;
    size_t count, room; /* The macros of vec.h work on this struct. */
};
/* Frees the cells and moments; the bucket then has none in memory. */
void bucket_free_cells(struct bucket *bucket);

/* Cells of one bucket, or sums of those of several, in lists that are used again. */
struct bucket_cells {
    struct cell_list cells, thread_cells; /* Sorted by column and key. */
};
void bucket_cells_fini(struct bucket_cells *cells);

enum pin_kind { PIN_PEAK = 1, PIN_DEATH = 2, PIN_MARK = 3, PIN_END = 4, PIN_POOL_PEAK = 5 };

/* Returns whether a later pin of this kind replaces an earlier one. */
static inline bool pin_is_peak(enum pin_kind kind)
{
    return kind == PIN_PEAK || kind == PIN_POOL_PEAK;
}

/* A snapshot of one instant: levels by stack and by thread.  Only the plus column of a level is
 * used; its value is net already. */
struct pin {
    enum pin_kind kind;
    uint64_t time_ns;
    string_id label; /* "killed by SIGKILL", or the name of a mark. */
    struct cell *cells;
    size_t cell_count;
    struct cell *thread_cells;
    size_t thread_cell_count;
};
