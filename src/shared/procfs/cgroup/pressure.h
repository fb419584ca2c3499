/* pressure.h - how much of the time tasks waited for memory (PSI), by the kernel: of a
 * cgroup, or of the machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct pressure {
    double share; /* of the last 10 s in which some task waited, from 0 to 1 */
    /* all the time in which some task waited, since the cgroup or the machine began */
    uint64_t waited_us;
};

/* 0, or -EINVAL when the text does not say; then nothing is changed. */
int pressure_parse(struct slice text, struct pressure *pressure);

/* The file that says it of the process: of its cgroup (version 2) where that has one, else the
 * machine's.  0, or -ENOENT when the kernel keeps none. */
int pressure_path(uint32_t pid, char *path, size_t size);

/* What the file says.  0 or -errno. */
int pressure_read_file(const char *path, struct pressure *pressure);

/* Both. */
int pressure_read(uint32_t pid, struct pressure *pressure);
