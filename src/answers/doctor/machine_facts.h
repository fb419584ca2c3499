/* machine_facts.h - the facts about a machine that `memoir doctor` judges: kernel, permissions,
 * libc, symbols, disk.  machine_facts_read reads them; tests make their own. */
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
    int tried[FEATURES]; /* by feature: 0, or the -errno of the try */
    struct permissions permissions;
    struct sandbox_report sandbox; /* layers of the sandbox for parsers of foreign files */
    int sandbox_err;               /* -errno if the layers could not be tried; else 0 */
    int perf_paranoid, yama_scope, memfd_noexec;
    bool has_btf, has_tracefs, has_cgroup2;
    char glibc[16];       /* "2.36"; empty: another libc */
    char musl_loader[64]; /* loader of musl, if programs with musl exist here, too; or empty */
    bool has_libc_debug;
    bool has_debuginfod; /* the library of debuginfod exists */
    char debuginfod_urls[256];
    char folder[PATH_MAX]; /* folder for recordings */
    int folder_err;        /* 0; or -errno if no recording can be written there */
    uint64_t folder_free_bytes;
    struct pages_facts pages; /* read by pages_facts_read */
};

/* Never fails: facts that cannot be found out are missing. */
void machine_facts_read(struct machine_facts *facts, const char *folder);

/* Finds a value in /etc/os-release; `value` is unchanged if there is no such line. */
void os_release_value(struct slice text, const char *key, char *value, size_t size);
