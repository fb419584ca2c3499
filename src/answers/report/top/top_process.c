/* SPDX-License-Identifier: Apache-2.0 */
/* top_process.c - shows a process without a recording: what the kernel says about it. */
#include <errno.h>

#include "base/human.h"
#include "base/json_out.h"
#include "report/json/json_report.h"
#include "report/text/text_line.h"
#include "report/top/top_page.h"

static const char *bytes_or_unknown(int64_t bytes, char out[HUMAN_MAX])
{
    return bytes < 0 ? "?" : human_bytes(bytes, out);
}

int top_process_render(const struct top_process *process, unsigned width, struct top_page *page)
{
    struct text_line lines[3] = {0};
    char a[HUMAN_MAX], b[HUMAN_MAX], c[HUMAN_MAX], d[HUMAN_MAX];
    line_add_name(&lines[0], process->name);
    line_add(&lines[0], " (pid %u), ", process->pid);
    line_add_counted(&lines[0], process->threads, "thread");
    line_add(&lines[0], ", not recorded");
    line_add(&lines[1], "rss %s (at most %s)   swap %s", bytes_or_unknown(process->rss_bytes, a),
             bytes_or_unknown(process->rss_peak_bytes, b),
             bytes_or_unknown(process->swap_bytes, c));
    line_add(&lines[2], "of it anonymous %s   files %s   shared %s",
             bytes_or_unknown(process->anon_bytes, a), bytes_or_unknown(process->file_bytes, c),
             bytes_or_unknown(process->shmem_bytes, d));
    int err = top_page_add(page, width, INK_STRONG, lines[0].text);
    for (size_t i = 1; i < 3 && !err; i++)
        err = top_page_add(page, width, INK_PLAIN, lines[i].text);
    if (!err)
        err = top_page_add(page, width, INK_PLAIN, "");
    return err ? err : top_page_add(page, width, INK_WARN, process->advice);
}

int top_process_json_write(const struct top_process *process, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_bool_field(&json, "recorded", false);
    json_uint_field(&json, "pid", process->pid);
    json_text_field(&json, "name", process->name);
    json_measured_field(&json, "threads", process->threads);
    json_measured_field(&json, "rss_bytes", process->rss_bytes);
    json_measured_field(&json, "rss_peak_bytes", process->rss_peak_bytes);
    json_measured_field(&json, "anon_bytes", process->anon_bytes);
    json_measured_field(&json, "file_bytes", process->file_bytes);
    json_measured_field(&json, "shmem_bytes", process->shmem_bytes);
    json_measured_field(&json, "swap_bytes", process->swap_bytes);
    json_text_field(&json, "advice", process->advice);
    json_object_end(&json);
    return json_finish(&json);
}
