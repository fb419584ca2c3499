/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/shared/input.h"

#define PART_BYTES      (256u << 10)
#define SPOOL_BYTES_MAX (UINT64_C(64) << 30)

#define RESERVED_MAX 4u

static int reserved[RESERVED_MAX];
static unsigned reserved_count;

static int open_nameless(void)
{
    if (reserved_count > 0)
        return reserved[--reserved_count];
    const char *folder = getenv("TMPDIR");
    int fd = -1;
    if (folder && *folder)
        fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd < 0 ? memfd_create("memoir-input", MFD_CLOEXEC) : fd;
}

int spool_reserve(void)
{
    if (reserved_count == RESERVED_MAX)
        return -1;
    unsigned const before = reserved_count;
    reserved_count = 0;
    int const fd = open_nameless();
    reserved_count = before;
    if (fd < 0)
        return -1;
    reserved[reserved_count++] = fd;
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static bool put(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t const part = write(fd, bytes, size);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return false;
        bytes += part;
        size -= (size_t)part;
    }
    return true;
}

/* Where bytes come from: how many, 0 at the end, -errno. */
struct spool_source {
    ssize_t (*read)(void *from, char *into, size_t size);
    void *from;
};

static ssize_t read_stream(void *from, char *into, size_t size)
{
    ssize_t part;
    do
        part = read(*(int *)from, into, size);
    while (part < 0 && errno == EINTR);
    return part < 0 ? -errno : part;
}

static ssize_t read_unpacked(void *from, char *into, size_t size)
{
    return (ssize_t)input_read(from, into, size);
}

static int copy(struct spool_source source, int fd, const char *name, struct fault *fault)
{
    char *part = malloc(PART_BYTES);
    uint64_t all = 0;
    ssize_t size = part ? 1 : -ENOMEM;
    int err = 0;
    while (!err && size > 0) {
        size = source.read(source.from, part, PART_BYTES);
        all += size > 0 ? (uint64_t)size : 0;
        if (all > SPOOL_BYTES_MAX)
            err = fault_set(fault, -EFBIG, "cannot read %s: there is more than 64 GiB of it", name);
        else if (size > 0 && !put(fd, part, (size_t)size))
            err = fault_set(fault, -errno,
                            "cannot store the data of %s: %s; set TMPDIR to a folder with more "
                            "room",
                            name, strerror(errno));
    }
    free(part);
    return size < 0 ? fault_set(fault, (int)size, "cannot read %s: %s", name, strerror((int)-size))
                    : err;
}

/* A new file of no name with all that `source` gives. */
static int spool(struct spool_source source, const char *name, struct fault *fault)
{
    int const fd = open_nameless();
    if (fd < 0)
        return fault_set(fault, -errno, "cannot make a file to keep %s in: %s", name,
                         strerror(errno));
    int const err = copy(source, fd, name, fault);
    if (!err)
        return fd;
    close(fd);
    return err;
}

int spool_stream(int from, const char *name, struct fault *fault)
{
    return spool((struct spool_source){read_stream, &from}, name, fault);
}

int spool_unpacked(const char *path, struct fault *fault)
{
    struct stat status;
    struct input *input = input_open(path, fault);
    if (!input)
        return -EIO;
    int const fd = spool((struct spool_source){read_unpacked, input}, path, fault);
    input_close(input);
    if (fd >= 0 && stat(path, &status) == 0) {
        struct timespec const times[] = {status.st_atim, status.st_mtim};
        (void)futimens(fd, times); /* without it the recording seems to be newer */
    }
    return fd;
}
