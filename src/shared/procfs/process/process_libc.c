/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_libc.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_map.h"
#include "foreign/foreign_file.h"
#include "procfs/memory/maps.h"

#define LIBC_MAX ((size_t)16 << 20)

void libc_version_find(const char *bytes, size_t count, char *version, size_t size)
{
    static const char before[] = "release version ";
    const char *at = memmem(bytes, count, "GNU C Library", strlen("GNU C Library"));
    version[0] = '\0';
    if (!at)
        return;
    count -= (size_t)(at - bytes);
    at = memmem(at, count < 256 ? count : 256, before, strlen(before));
    if (!at)
        return;
    at += strlen(before);
    size_t length = 0;
    while (length + 1 < size && length < 8 && at[length] && strchr("0123456789.", at[length]))
        length++;
    while (length > 0 && at[length - 1] == '.') /* the end of the sentence */
        length--;
    snprintf(version, size, "%.*s", (int)length, at);
}

/* Its file as the process sees it. */
static void read_version(uint32_t pid, const char *path, char *version, size_t size)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_ELF_MAX};
    char root[64];
    struct stat status;
    version[0] = '\0';
    snprintf(root, sizeof(root), "/proc/%u/root", pid);
    int const fd = foreign_file_open_below(root, path, &limits, NULL);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        size_t const count = (size_t)status.st_size < LIBC_MAX ? (size_t)status.st_size : LIBC_MAX;
        char *bytes = file_map(fd, count);
        if (bytes) {
            libc_version_find(bytes, count, version, size);
            file_unmap(bytes, count);
        }
    }
    close(fd);
}

void process_libc(uint32_t pid, char *text, size_t size)
{
    struct map_list list;
    char version[16];
    text[0] = '\0';
    if (map_list_read(pid, &list) < 0)
        return;
    vec_each (region, &list.regions) {
        const char *slash = strrchr(region->name, '/'), *name = slash ? slash + 1 : "";
        if (strncmp(name, "ld-musl-", 8) == 0 || strncmp(name, "libc.musl-", 10) == 0) {
            snprintf(text, size, "musl");
            break;
        }
        if (strcmp(name, "libc.so.6") == 0 || strncmp(name, "libc-2.", 7) == 0) {
            read_version(pid, region->name, version, sizeof(version));
            snprintf(text, size, "glibc%s%s", version[0] ? " " : "", version);
            break;
        }
    }
    map_list_fini(&list);
}
