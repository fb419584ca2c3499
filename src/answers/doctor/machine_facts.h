/* machine_facts.h - everything `memoir doctor` knows before it judges: kernel, permissions, libc,
 * symbols, disk.  Read by machine_facts_read; tests make their own. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "doctor/kernel_features.h"
#include "doctor/pages_checkup.h"
#include "doctor/permissions.h"
#include "sandbox/sandbox.h"

#define SETTING_ABSENT INT_MIN /* the kernel has no such setting */

struct machine_facts {
    char system[96];    /* "Debian GNU/Linux 12 (bookworm)" */
    char system_id[32]; /* "debian" */
    char kernel[96], architecture[32];
    int tried[FEATURES]; /* 0, or the -errno of the try */
    struct permissions permissions;
    struct sandbox_report sandbox; /* the layers that parsers of foreign files run in */
    int sandbox_err;               /* they could not be tried */
    int perf_paranoid, yama_scope, memfd_noexec;
    bool has_btf, has_tracefs, has_cgroup2;
    char glibc[16];       /* "2.36"; empty: another libc */
    char musl_loader[64]; /* there are programs of another libc, too; or empty */
    bool has_libc_debug;
    bool has_debuginfod; /* the library */
    char debuginfod_urls[256];
    char folder[PATH_MAX]; /* where recordings would go */
    int folder_err;        /* 0, or why none can be written there */
    uint64_t folder_free_bytes;
    struct pages_facts pages; /* read apart */
};

/* Never fails: what cannot be found out is absent. */
void machine_facts_read(struct machine_facts *facts, const char *folder);

/* Parts of it that only read text; `value` is untouched when there is no such line. */
void os_release_value(struct slice text, const char *key, char *value, size_t size);
