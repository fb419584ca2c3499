/* pressure.h - memory pressure (PSI): how much of the time tasks of a cgroup, or of the machine,
 * waited for memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct pressure {
    double share; /* Share of the last 10 s in which some task waited, from 0 to 1. */
    /* Time in which some task waited, since the cgroup was made or the machine started. */
    uint64_t waited_us;
};

/* Parses the text of such a file.  Returns 0; or -EINVAL with nothing changed. */
int pressure_parse(struct slice text, struct pressure *pressure);

/* Finds the pressure file for a process: of its cgroup (version 2) if that has one, else of the
 * machine.  Returns 0, or -ENOENT if the kernel has no PSI. */
int pressure_path(uint32_t pid, char *path, size_t size);

/* Reads a pressure file.  Returns 0 or -errno. */
int pressure_read_file(const char *path, struct pressure *pressure);

/* Finds and reads the pressure file for a process.  Returns 0 or -errno. */
int pressure_read(uint32_t pid, struct pressure *pressure);
