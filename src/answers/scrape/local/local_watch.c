/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/local/local_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "procfs/process/process_age.h"
#include "scrape/http/tcp_sockets.h"
#include "scrape/local/local_sample.h"

struct local_family {
    const char *name, *type, *help;
    int64_t value; /* below 0: not known */
};

static void write_family(FILE *out, const struct local_family *family)
{
    if (family->value >= 0)
        fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %" PRId64 "\n", family->name, family->help,
                family->name, family->type, family->name, family->value);
}

/* `account` is NULL when its connections are not known.  `began_unix_s`: when the process began,
 * 0: not known.  The caller frees; NULL when out of memory. */
static char *local_metrics_render(const struct local_sample *sample,
                                  const struct tcp_account *account, double began_unix_s,
                                  size_t *size)
{
    struct local_family const families[] = {
        {"process_resident_memory_bytes", "gauge", "Resident memory.", sample->rss_bytes},
        {"process_virtual_memory_bytes", "gauge", "Virtual memory.", sample->vsz_bytes},
        {"memoir_process_proportional_bytes", "gauge",
         "Resident memory, each shared page divided by the number of processes that share it "
         "(PSS).",
         sample->pss_bytes},
        {"memoir_process_swap_bytes", "gauge", "Memory that is swapped out.", sample->swap_bytes},
        {"memoir_process_threads", "gauge", "Threads.", sample->threads},
        {"process_open_fds", "gauge", "Open descriptors.", sample->fds},
        {"memoir_process_disk_read_bytes_total", "counter", "Read from disks.", sample->read_bytes},
        {"memoir_process_disk_written_bytes_total", "counter", "Written to disks.",
         sample->written_bytes},
        {"memoir_process_tcp_sent_bytes_total", "counter",
         "Sent over TCP and acknowledged, by connections that were open at a snapshot.",
         account ? (int64_t)account->sent : -1},
        {"memoir_process_tcp_received_bytes_total", "counter",
         "Received over TCP, by connections that were open at a snapshot.",
         account ? (int64_t)account->received : -1},
    };
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        write_family(out, &families[i]);
    if (sample->cpu_ms >= 0)
        fprintf(out,
                "# HELP process_cpu_seconds_total CPU time.\n# TYPE process_cpu_seconds_total "
                "counter\nprocess_cpu_seconds_total %" PRId64 ".%03" PRId64 "\n",
                sample->cpu_ms / 1000, sample->cpu_ms % 1000);
    if (began_unix_s > 0)
        fprintf(out,
                "# HELP process_start_time_seconds Start of the process, Unix time.\n# TYPE "
                "process_start_time_seconds gauge\nprocess_start_time_seconds %.2f\n",
                began_unix_s);
    if (fclose(out) == 0 && text)
        return text;
    return NULL;
}

static int write_line(struct watch *watch, const struct watched *watched,
                      const struct node_snapshot *snapshot, const struct local_sample *sample)
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
        watch_say(watch,
                  "%s: the node was restarted: process %u instead of "
                  "%u",
                  watched->node->name, pid, watched->pid);
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

/* The connections of this machine, once per snapshot. */
static const struct tcp_sockets *sockets_now(struct watch *watch,
                                             const struct node_snapshot *snapshot)
{
    if (watch->sockets_of != snapshot->serial) {
        tcp_sockets_fini(&watch->sockets);
        watch->has_sockets = tcp_sockets_read(&watch->sockets) == 0;
        watch->sockets_of = snapshot->serial;
    }
    return watch->has_sockets ? &watch->sockets : NULL;
}

static int write_metrics(struct watch *watch, struct watched *watched,
                         const struct node_snapshot *snapshot, const struct local_sample *sample,
                         uint64_t *bytes)
{
    const struct tcp_sockets *sockets = sockets_now(watch, snapshot);
    struct run_capture capture;
    uint64_t ticks, began_ns = 0;
    size_t size = 0;
    bool const has_account = sockets && tcp_account_look(&watched->tcp, sample->pid, sockets) == 0;
    (void)process_age_read(sample->pid, &ticks, &began_ns);
    char *text = local_metrics_render(sample, has_account ? &watched->tcp : NULL,
                                      (double)began_ns / 1e9, &size);
    int err = text ? run_capture_begin(watch->writer, &capture, watched->node->nick,
                                       snapshot->stamp, RUN_METRICS)
                   : -ENOMEM;
    if (!err)
        err = run_capture_write(watch->writer, &capture, (struct slice){text, size});
    if (!err)
        err = run_capture_keep(watch->writer, &capture);
    free(text);
    *bytes = err ? 0 : size;
    return err;
}

struct local_told {
    const char *kind, *why;
    uint64_t begin_us, bytes;
};

static void book(struct watch *watch, struct watched *watched, struct node_snapshot *snapshot,
                 const struct local_told *told)
{
    struct run_fetch const line = {.stamp = snapshot->stamp,
                                   .nick = watched->node->nick,
                                   .kind = told->kind,
                                   .begin_us = told->begin_us,
                                   .end_us = unix_ns() / 1000u,
                                   .bytes = told->bytes,
                                   .why = told->why};
    run_writer_add_fetch(watch->writer, &line);
    watch->end->fetches++;
    snapshot->told.fetches++;
    if (told->why[0]) {
        watch->end->gaps++;
        snapshot->told.gaps++;
        snapshot->told.nodes_failed += watched->failed_in != snapshot->serial;
        watched->failed_in = snapshot->serial;
    }
}

unsigned local_watch_sample(struct watch *watch, struct watched *watched,
                            struct node_snapshot *snapshot)
{
    struct fault fault = {0};
    struct local_sample sample;
    struct local_told told = {.kind = "rss", .why = fault.text, .begin_us = unix_ns() / 1000u};
    bool const wants_line = watched->captures & CAPTURE_RSS;
    bool const wants_metrics = watched->captures & CAPTURE_METRICS && !watched->node->metrics_url;

    if (!watched->node->has_process || !(wants_line || wants_metrics))
        return 0;
    uint32_t const pid = node_pid(watched->node, &fault);
    if (pid)
        note_pid(watch, watched, pid);
    int const gone = pid ? local_sample_read(pid, &sample) : -ESRCH;
    if (pid && gone)
        fault_set(&fault, gone, "process %u has ended", pid);
    if (wants_line) {
        int const err = gone ? 0 : write_line(watch, watched, snapshot, &sample);
        if (err)
            fault_set(&fault, err, "it could not be written: %s", strerror(-err));
        watch_note_disk(watch, err);
        book(watch, watched, snapshot, &told);
        tell_change(watch, watched, fault.text);
    }
    if (wants_metrics) {
        int const err = gone ? 0 : write_metrics(watch, watched, snapshot, &sample, &told.bytes);
        if (err)
            fault_set(&fault, err, "it could not be written: %s", strerror(-err));
        watch_note_disk(watch, err);
        told.kind = run_kind_suffix(RUN_METRICS);
        book(watch, watched, snapshot, &told);
    }
    return 1;
}
