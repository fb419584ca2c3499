/* mounted_devices.h - the file systems that a process sees, from /proc/PID/mountinfo: which of them
 * a program serves (FUSE).  Memory that is mapped from such a file system may be waited for as long
 * as that program likes, and whoever waits cannot even be killed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct mounted_device {
    uint64_t device; /* as stat gives it */
    bool is_served;  /* by a program */
};

struct mounted_devices {
    VEC(struct mounted_device) items;
    uint64_t memfd_device; /* of files that are memory, which no mount shows */
};

/* That one, found by making such a file; 0 when it cannot be. */
uint64_t mounted_devices_memfd(void);

/* Parses one line, NUL-terminated.  false when it is none. */
bool mounted_device_parse(const char *line, struct mounted_device *device);

/* Reads them all from PROC_MOUNTINFO.  0 or -errno; mounted_devices_fini ends the list. */
int mounted_devices_read_open(int mountinfo, uint64_t memfd_device,
                              struct mounted_devices *devices);
void mounted_devices_fini(struct mounted_devices *devices);

/* Whether a file system is not known to be the kernel's: a program serves it, or nobody has it
 * mounted (any more) and it has no disk. */
bool mounted_devices_is_served(const struct mounted_devices *devices, uint64_t device);
