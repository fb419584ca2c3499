/* mounted_devices.h - the file systems that a process sees, from /proc/PID/mountinfo: which of them
 * are served by a program (FUSE).  Access to memory that is mapped from such a file system may
 * block for as long as that program likes, and a blocked process cannot even be killed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct mounted_device {
    uint64_t device; /* As st_dev of stat. */
    bool is_served;  /* By a program. */
};

struct mounted_devices {
    VEC(struct mounted_device) items;
    uint64_t memfd_device; /* Device of memfd files, which no mount has. */
};

/* Returns the device of memfd files, found by making one; 0 on failure. */
uint64_t mounted_devices_memfd(void);

/* Parses one line, NUL-terminated.  Returns false if it is no line of mountinfo. */
bool mounted_device_parse(const char *line, struct mounted_device *device);

/* Reads all from an open PROC_MOUNTINFO file.  Returns 0 or -errno.  End the list with
 * mounted_devices_fini. */
int mounted_devices_read_open(int mountinfo, uint64_t memfd_device,
                              struct mounted_devices *devices);
void mounted_devices_fini(struct mounted_devices *devices);

/* Returns whether a file system may be served by a program: one serves it, or it is not mounted
 * (any more) and has no disk. */
bool mounted_devices_is_served(const struct mounted_devices *devices, uint64_t device);
