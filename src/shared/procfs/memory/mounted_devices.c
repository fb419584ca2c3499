/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/mounted_devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MOUNTS_MAX 100000u /* as many as a mount namespace may have */

bool mounted_device_parse(const char *line, struct mounted_device *device)
{
    unsigned major_number, minor_number;
    const char *type = strstr(line, " - ");
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
    if (!type || sscanf(line, "%*u %*u %u:%u ", &major_number, &minor_number) != 2)
        return false;
    *device = (struct mounted_device){makedev(major_number, minor_number),
                                      strncmp(type + 3, "fuse", 4) == 0};
    return true;
}

uint64_t mounted_devices_memfd(void)
{
    struct stat about;
    int const fd = memfd_create("memoir", MFD_CLOEXEC);
    uint64_t const device = fd >= 0 && fstat(fd, &about) == 0 ? about.st_dev : 0;
    if (fd >= 0)
        close(fd);
    return device;
}

int mounted_devices_read_open(int mountinfo, uint64_t memfd_device, struct mounted_devices *devices)
{
    struct mounted_device device;
    char *line = NULL;
    size_t room = 0;
    int err = 0;
    *devices = (struct mounted_devices){.memfd_device = memfd_device};
    int const copy = dup(mountinfo);
    FILE *text = copy < 0 ? NULL : fdopen(copy, "re");
    if (!text) {
        err = -errno;
        if (copy >= 0)
            close(copy);
        return err;
    }
    while (err == 0 && devices->items.count < MOUNTS_MAX && getline(&line, &room, text) > 0)
        if (mounted_device_parse(line, &device) && !vec_push(&devices->items, device))
            err = -ENOMEM;
    free(line);
    fclose(text);
    return err;
}

void mounted_devices_fini(struct mounted_devices *devices)
{
    vec_free(&devices->items);
}

bool mounted_devices_is_served(const struct mounted_devices *devices, uint64_t device)
{
    bool is_known = major(device) != 0 || device == devices->memfd_device;
    vec_each (mounted, &devices->items) {
        if (mounted->device != device)
            continue;
        if (mounted->is_served)
            return true;
        is_known = true;
    }
    return !is_known;
}
