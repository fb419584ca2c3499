/* SPDX-License-Identifier: Apache-2.0 */
/* session_describe.c - writes which process a recording is about. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/sessions/session_core.h"
#include "procfs/cgroup/memory_limit.h"
#include "procfs/process/invoked_path.h"
#include "procfs/process/process_status.h"

static void describe_program(struct session *session)
{
    struct recording *recording = session->recording;
    char path[PATH_MAX], text[4096];
    path[0] = text[0] = '\0';
    if (session->proved_pid)
        process_invoked_path(session->proved_pid, path, sizeof(path));
    if (session->options.program && (!session->is_renamed || !path[0]))
        snprintf(path, sizeof(path), "%s", session->options.program);
    if (session->options.otherwise && !path[0])
        snprintf(path, sizeof(path), "%s", session->options.otherwise);
    if (session->is_renamed && !path[0])
        return; /* it was quicker than we: it keeps the name it had */
    recording->program = recording_intern(recording, path);
    const char *expected = session->options.command_line;
    if (session->proved_pid && (session->is_renamed || !expected))
        process_command_line(session->proved_pid, text, sizeof(text));
    if (text[0] || !session->is_renamed) /* one that is gone keeps what it had */
        recording->command_line =
            recording_intern(recording, text[0] || !expected ? text : expected);
}

void session_renamed(struct session *session)
{
    session->is_renamed = true;
    describe_program(session);
}

static void describe_outside(struct session *session)
{
    struct recording *recording = session->recording;
    struct process_status status = {0};
    session->pid = session->proved_pid = recording->pid = session->options.pid;
    describe_program(session);
    if (!session->proved_pid)
        return;
    snprintf(session->root, sizeof(session->root), "/proc/%u/root", session->proved_pid);
    (void)process_status_read(session->proved_pid, 0, &status);
    recording->parent_pid = status.parent;
    if (session->options.has_begun) {
        struct process_memory const memory = process_memory(session->proved_pid);
        (void)session_new_peak(session); /* what it was before is no part of the recording */
        recording->before.attached = 1;
        recording->before.rss_bytes = memory.rss_bytes > 0 ? (uint64_t)memory.rss_bytes : 0;
    }
}

void session_describe(struct session *session)
{
    const struct session_options *options = &session->options;
    struct recording *recording = session->recording;
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    if (session->books)
        session_describe_books(session);
    else
        describe_outside(session);
    recording->host = recording_intern(recording, host);
    recording->source =
        recording_intern(recording, options->source ? options->source : "memoir run");
    recording->start_unix_ns = unix_ns() - options->age_ns;
    recording->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    recording->machine_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * recording->page_bytes;
    recording->limit_bytes = session->proved_pid ? memory_limit_read(session->proved_pid) : 0;
    oom_count_begin(&session->oom_count, session->proved_pid);
}
