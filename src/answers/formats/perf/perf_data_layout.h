/* perf_data_layout.h - where the frames of a recording lie in a perf.data: an address for each,
 * and the mappings that lead from there to files.
 *
 * Modules keep the place that they had in the process, if that is known and free;
 * frames that are only a name get an address in memory of no file, which a list of names
 * (symbols/lookup/perf_map.h) can tell of. */
#pragma once

#include "base/number_map.h"
#include "model/recording.h"

#define LAYOUT_SEGMENTS_MAX 8u
#define LAYOUT_NAMES_BASE   UINT64_C(0x7a0000000000) /* of frames that are only a name */
#define LAYOUT_NAME_BYTES   16u

struct layout_segment {
    uint64_t address, size, offset; /* in the process; in the file */
};

struct layout_module {
    bool is_used, is_kernel, is_made; /* made: code made at run time, in no file */
    uint64_t low, high;               /* of its frames' addresses, in the file's terms */
    uint64_t shift;                   /* from there to the process */
    struct layout_segment segments[LAYOUT_SEGMENTS_MAX];
    uint32_t segment_count;
};

struct layout_process {
    uint32_t pid;
    string_id name;
};

struct perf_layout {
    const struct recording *recording;
    VEC(struct layout_module) modules;
    VEC(struct layout_process) processes; /* at least one */
    uint64_t kernel_start,
        kernel_end;          /* of the kernel's code; 0: it is not the one that runs here */
    struct number_map roots; /* process plus one, by frame plus one */
};

/* Returns 0 or -ENOMEM. */
int perf_layout_init(struct perf_layout *layout, const struct recording *recording);
void perf_layout_fini(struct perf_layout *layout);

/* Returns the address of a frame as it is looked up. */
uint64_t perf_layout_address(const struct perf_layout *layout, uint32_t frame);
bool perf_layout_is_kernel(const struct perf_layout *layout, uint32_t frame);
/* Returns whether it is only a name. */
bool perf_layout_is_name(const struct perf_layout *layout, uint32_t frame);
/* Returns the process that an outermost frame "NAME PID" stands for, plus one; 0: it is an ordinary
 * frame. */
uint32_t perf_layout_root(const struct perf_layout *layout, uint32_t frame);
