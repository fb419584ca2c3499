/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/local_watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* KiB, as ps tells them. */
static int read_sizes(uint32_t pid, uint64_t *rss_kib, uint64_t *vsz_kib)
{
    char path[64];
    unsigned long long size, resident;
    uint64_t const page_kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024u;

    snprintf(path, sizeof(path), "/proc/%u/statm", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return -errno;
    int const got = fscanf(file, "%llu %llu", &size, &resident);
    fclose(file);
    if (got != 2 || size == 0)
        return -ESRCH; /* a zombie has no memory */
    *rss_kib = resident * page_kib;
    *vsz_kib = size * page_kib;
    return 0;
}

static int write_line(struct watch *watch, const struct watched *watched,
                      const struct snapshot *snapshot, uint64_t rss_kib, uint64_t vsz_kib)
{
    char line[160], when[40], name[NAME_MAX + 1];
    time_t const seconds = (time_t)(snapshot->stamp_us / 1000000);
    struct tm parts;
    const char *fraction = strchr(snapshot->stamp, '.');

    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", gmtime_r(&seconds, &parts));
    int const size = snprintf(line, sizeof(line), "%s,%s%s,%llu,%llu\n", snapshot->stamp, when,
                              fraction ? fraction : "", (unsigned long long)rss_kib,
                              (unsigned long long)vsz_kib);
    if (snprintf(name, sizeof(name), "%s.heap.csv", watched->node->nick) > NAME_MAX)
        return -ENAMETOOLONG;
    return run_writer_append(watch->writer, name, (struct slice){line, (size_t)size});
}

static void note_pid(struct watch *watch, struct watched *watched, uint32_t pid)
{
    if (watched->pid && watched->pid != pid)
        watch_say(watch, "%s: was started again: process %u instead of %u", watched->node->name,
                  pid, watched->pid);
    watched->pid = pid;
}

static void tell_change(struct watch *watch, struct watched *watched, const char *why)
{
    if (why[0] && watched->rss_gaps++ == 0)
        watch_say(watch, "%s: no memory of its process: %s", watched->node->name, why);
    if (!why[0] && watched->rss_gaps) {
        watch_say(watch, "%s: memory of its process again, after %u gap%s", watched->node->name,
                  watched->rss_gaps, watched->rss_gaps == 1 ? "" : "s");
        watched->rss_gaps = 0;
    }
}

unsigned local_watch_sample(struct watch *watch, struct watched *watched, struct snapshot *snapshot)
{
    struct fault fault = {0};
    uint64_t rss_kib = 0, vsz_kib = 0;

    if (!watched->node->has_process || !(watched->captures & CAPTURE_RSS))
        return 0;
    uint64_t const begin_us = unix_ns() / 1000u;
    uint32_t const pid = node_pid(watched->node, &fault);
    if (pid) {
        note_pid(watch, watched, pid);
        int err = read_sizes(pid, &rss_kib, &vsz_kib);
        if (err)
            fault_set(&fault, err, "process %u is gone", pid);
        else if ((err = write_line(watch, watched, snapshot, rss_kib, vsz_kib)))
            fault_set(&fault, err, "it could not be written: %s", strerror(-err));
        watch_note_disk(watch, err == -ENOSPC || err == -EDQUOT ? err : 0);
    }
    struct run_fetch const line = {.stamp = snapshot->stamp,
                                   .nick = watched->node->nick,
                                   .kind = "rss",
                                   .begin_us = begin_us,
                                   .end_us = unix_ns() / 1000u,
                                   .why = fault.text};
    run_writer_add_fetch(watch->writer, &line);
    tell_change(watch, watched, fault.text);
    watch->end->fetches++;
    snapshot->told.fetches++;
    if (fault.text[0]) {
        watch->end->gaps++;
        snapshot->told.gaps++;
        snapshot->told.nodes_failed += watched->failed_in != snapshot->serial;
        watched->failed_in = snapshot->serial;
    }
    return 1;
}
