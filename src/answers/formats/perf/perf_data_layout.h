/* perf_data_layout.h - chooses addresses for the frames of a recording in a perf.data, and the
 * mappings that lead from the addresses to files.
 *
 * Modules keep the address that they had in the process, if it is known and free.  A frame that is
 * only a name gets an address in memory of no file; a list of names (symbols/lookup/perf_map.h) can
 * have the name. */
#pragma once

#include "base/number_map.h"
#include "model/recording.h"

#define LAYOUT_SEGMENTS_MAX 8u
/* first address for frames that are only a name */
#define LAYOUT_NAMES_BASE UINT64_C(0x7a0000000000)
#define LAYOUT_NAME_BYTES 16u

struct layout_segment {
    uint64_t address, size, offset; /* address in the process; offset in the file */
};

struct layout_module {
    bool is_used, is_kernel, is_made; /* is_made: code made at run time, in no file */
    uint64_t low, high;               /* range of the addresses of its frames, as in the file */
    uint64_t shift;                   /* address in the process minus address in the file */
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

/* Returns the address of a frame in the perf.data. */
uint64_t perf_layout_address(const struct perf_layout *layout, uint32_t frame);
bool perf_layout_is_kernel(const struct perf_layout *layout, uint32_t frame);
/* Returns whether the frame is only a name. */
bool perf_layout_is_name(const struct perf_layout *layout, uint32_t frame);
/* Returns the process, plus one, that an outermost frame "NAME PID" stands for; 0: this is an
 * ordinary frame. */
uint32_t perf_layout_root(const struct perf_layout *layout, uint32_t frame);
