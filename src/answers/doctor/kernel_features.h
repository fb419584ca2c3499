/* kernel_features.h - finds out by trying which features the kernel offers here.
 *
 * Each try uses this process, or a child made for it, takes well under a millisecond, and leaves
 * nothing behind. */
#pragma once

enum feature {
    FEATURE_MEMFD,          /* memory without a name, shared with the program */
    FEATURE_MEMFD_EXEC,     /* code in such memory, as for a library that is not on disk */
    FEATURE_WIPE_ON_FORK,   /* memory that is empty in a forked child */
    FEATURE_ANON_NAMES,     /* names for mappings without a file */
    FEATURE_PAGEMAP_SCAN,   /* resident pages of a range in one call */
    FEATURE_PTRACE,         /* tracing a child of our own */
    FEATURE_PERF_USER,      /* CPU samples of our own code */
    FEATURE_PERF_KERNEL,    /* CPU samples with the kernel's frames */
    FEATURE_BPF_TRACEPOINT, /* loading a BPF program for a tracepoint */
    FEATURES
};

/* Returns 0 if the feature works, else the -errno of the kernel. */
int feature_try(enum feature feature);
