/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/local/local_metrics.h"

#include <inttypes.h>
#include <stdio.h>

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

char *local_metrics_render(const struct local_sample *sample, const struct tcp_account *account,
                           double began_unix_s, size_t *size)
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
