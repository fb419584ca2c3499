/* perf_data_kernel.h - frames in the kernel, for a perf.data.
 *
 * Names are known for BPF programs, from the file; and for the kernel itself, if the running kernel
 * is the one that was recorded, at the same address. */
#pragma once

#include "formats/perf/perf_data_facts.h"
#include "formats/perf/perf_data_processes.h"
#include "symbols/lookup/kernel_names.h"

/* Reads the build id of the running kernel, in hex; "" if unknown. */
#define PERF_BUILD_ID_HEX (2 * PERF_BUILD_ID_BYTES + 1)
void perf_kernel_own_build_id(char hex[PERF_BUILD_ID_HEX]);

#define PERF_KERNEL_SYMBOLS_MAX 8192u

enum perf_kernel_state {
    PERF_KERNEL_UNKNOWN, /* not looked up yet */
    PERF_KERNEL_SAME,
    PERF_KERNEL_OTHER, /* another kernel, or ours after a reboot */
    PERF_KERNEL_HIDDEN /* our kernel, but its addresses are hidden from us */
};

struct perf_kernel_symbol {
    uint64_t start, end;
    string_id name;
};

struct perf_kernel {
    struct recording *recording;
    const struct perf_facts *facts;
    uint64_t text; /* address of the kernel's first function in the recording; 0: unknown */
    string_id build_id;
    VEC(struct perf_kernel_symbol) symbols;
    struct number_map frames; /* index plus one, by address */
    uint32_t module;          /* plus one */
    enum perf_kernel_state state;
    struct kernel_names *names;
    uint64_t unnamed; /* number of frames without a name */
};

void perf_kernel_fini(struct perf_kernel *kernel);
/* Handles MMAP and MMAP2 records of the kernel, and KSYMBOL.  Returns 0 or -ENOMEM. */
int perf_kernel_handle(struct perf_kernel *kernel, const struct perf_record *record,
                       size_t body_size);
/* Finds the frame at `address`, as index in the recording.  Returns 0 or -ENOMEM. */
int perf_kernel_frame(struct perf_kernel *kernel, uint64_t address, uint32_t *frame);
