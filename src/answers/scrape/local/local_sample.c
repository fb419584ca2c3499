/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/local/local_sample.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "procfs/memory/memory_status.h"
#include "procfs/process/proc_text.h"
#include "procfs/memory/proportional.h"

#define TEXT_MAX        8192u
#define USER_TIME_FIELD 12 /* of /proc/PID/stat, counted from the state, which follows the name */

/* A small file of the process, or NULL; the caller's. */
static char *read_file(uint32_t pid, const char *name)
{
    char path[64], *text;
    snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
    return proc_text_read(path, TEXT_MAX, &text) == 0 ? text : NULL;
}

static int read_sizes(struct local_sample *sample)
{
    int64_t const page = sysconf(_SC_PAGESIZE);
    char *text = read_file(sample->pid, "statm");
    unsigned long long size = 0, resident = 0;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
    int const got = text ? sscanf(text, "%llu %llu", &size, &resident) : 0;
    free(text);
    if (got != 2 || size == 0)
        return -ESRCH; /* a zombie has no memory, and neither has a thread of the kernel */
    sample->vsz_bytes = (int64_t)size * page;
    sample->rss_bytes = (int64_t)resident * page;
    return 0;
}

static void read_cpu(struct local_sample *sample)
{
    char *text = read_file(sample->pid, "stat");
    const char *at = text ? strrchr(text, ')') : NULL; /* the name may have anything in it */
    unsigned long long user, system;
    for (int i = 0; at && i < USER_TIME_FIELD; i++)
        at = strchr(at + 1, ' ');
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
    if (at && sscanf(at, " %llu %llu", &user, &system) == 2)
        sample->cpu_ms = (int64_t)(user + system) * 1000 / sysconf(_SC_CLK_TCK);
    free(text);
}

/* The number behind "\nkey: ", or -1. */
static int64_t number_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

static void read_io(struct local_sample *sample)
{
    char *text = read_file(sample->pid, "io");
    if (!text)
        return; /* of another user */
    sample->read_bytes = number_of(text, "\nread_bytes: ");
    sample->written_bytes = number_of(text, "\nwrite_bytes: ");
    free(text);
}

/* Kernels from 6.2 on tell the number as the folder's size. */
static int64_t count_fds(uint32_t pid)
{
    char path[64];
    struct stat about;
    int64_t count = 0;
    snprintf(path, sizeof(path), "/proc/%u/fd", pid);
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    if (fstat(dirfd(folder), &about) == 0 && about.st_size > 0)
        count = about.st_size;
    else
        for (struct dirent *entry; (entry = readdir(folder));)
            count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

int local_sample_read(uint32_t pid, struct local_sample *sample)
{
    struct memory_status memory;
    *sample = (struct local_sample){.pid = pid,
                                    .rss_bytes = -1,
                                    .vsz_bytes = -1,
                                    .pss_bytes = -1,
                                    .swap_bytes = -1,
                                    .threads = -1,
                                    .cpu_ms = -1,
                                    .read_bytes = -1,
                                    .written_bytes = -1};
    int const err = read_sizes(sample);
    if (err)
        return err;
    if (memory_status_read(pid, &memory) == 0) {
        sample->swap_bytes = memory.swap_bytes;
        sample->threads = memory.threads;
    }
    if (sample->rss_bytes < LOCAL_SAMPLE_PSS_MAX)
        sample->pss_bytes = proportional_read(pid);
    read_cpu(sample);
    read_io(sample);
    sample->fds = count_fds(pid);
    return 0;
}

static int64_t kib(int64_t bytes)
{
    return bytes < 0 ? -1 : bytes / 1024;
}

const char *local_sample_render(const struct local_sample *sample, char out[LOCAL_SAMPLE_TEXT_MAX])
{
    int64_t const columns[] = {
        kib(sample->rss_bytes),  kib(sample->vsz_bytes), sample->pid, kib(sample->pss_bytes),
        kib(sample->swap_bytes), sample->threads,        sample->fds, sample->cpu_ms,
        sample->read_bytes,      sample->written_bytes};
    size_t size = 0;
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        if (i)
            out[size++] = ',';
        if (columns[i] >= 0)
            size +=
                (size_t)snprintf(out + size, LOCAL_SAMPLE_TEXT_MAX - size, "%" PRId64, columns[i]);
    }
    out[size] = '\0';
    return out;
}
