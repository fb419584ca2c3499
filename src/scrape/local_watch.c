/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/local_watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "scrape/local_sample.h"

static int write_line(struct watch *watch, const struct watched *watched,
                      const struct snapshot *snapshot, const struct local_sample *sample)
{
    char line[LOCAL_SAMPLE_TEXT_MAX + 80], when[40], name[NAME_MAX + 1];
    char columns[LOCAL_SAMPLE_TEXT_MAX];
    time_t const seconds = (time_t)(snapshot->stamp_us / 1000000);
    struct tm parts;
    const char *fraction = strchr(snapshot->stamp, '.');

    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", gmtime_r(&seconds, &parts));
    int const size = snprintf(line, sizeof(line), "%s,%s%s,%s\n", snapshot->stamp, when,
                              fraction ? fraction : "", local_sample_render(sample, columns));
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
    struct local_sample sample;

    if (!watched->node->has_process || !(watched->captures & CAPTURE_RSS))
        return 0;
    uint64_t const begin_us = unix_ns() / 1000u;
    uint32_t const pid = node_pid(watched->node, &fault);
    if (pid) {
        note_pid(watch, watched, pid);
        int err = local_sample_read(pid, &sample);
        if (err)
            fault_set(&fault, err, "process %u is gone", pid);
        else if ((err = write_line(watch, watched, snapshot, &sample)))
            fault_set(&fault, err, "it could not be written: %s", strerror(-err));
        watch_note_disk(watch, err);
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
