/* perf_data_kernel.h - frames inside the kernel of a perf.data, with names where they can be
 * had: those the file tells (BPF programs), and those of the kernel that runs here, if it is the
 * one that ran there and lies where it lay. */
#pragma once

#include "formats/perf/perf_data_facts.h"
#include "formats/perf/perf_data_processes.h"
#include "symbols/lookup/kernel_names.h"

/* The build id of the kernel that runs here, in hex; "" when it is not told. */
#define PERF_BUILD_ID_HEX (2 * PERF_BUILD_ID_BYTES + 1)
void perf_kernel_own_build_id(char hex[PERF_BUILD_ID_HEX]);

#define PERF_KERNEL_SYMBOLS_MAX 8192u

enum perf_kernel_state {
    PERF_KERNEL_UNKNOWN, /* not looked up yet */
    PERF_KERNEL_SAME,
    PERF_KERNEL_OTHER, /* another kernel than ours, or ours after it was started again */
    PERF_KERNEL_HIDDEN /* ours, but its addresses are hidden from us */
};

struct perf_kernel_symbol {
    uint64_t start, end;
    string_id name;
};

struct perf_kernel {
    struct recording *recording;
    const struct perf_facts *facts;
    uint64_t text; /* where the kernel's first function was; 0 unknown */
    string_id build_id;
    VEC(struct perf_kernel_symbol) symbols;
    struct number_map frames; /* index plus one, by address */
    uint32_t module;          /* plus one */
    enum perf_kernel_state state;
    struct kernel_names *names;
    uint64_t unnamed; /* frames, of all */
};

void perf_kernel_fini(struct perf_kernel *kernel);
/* MMAP and MMAP2 of the kernel, and KSYMBOL.  Returns 0 or -ENOMEM. */
int perf_kernel_handle(struct perf_kernel *kernel, const struct perf_record *record,
                       size_t body_size);
/* The frame at `address`: its index in the recording.  Returns 0 or -ENOMEM. */
int perf_kernel_frame(struct perf_kernel *kernel, uint64_t address, uint32_t *frame);
