/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/outside/outside_session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/sessions/control.h"
#include "capture/sessions/output_name.h"
#include "procfs/process/invoked_path.h"
#include "procfs/cgroup/memory_limit.h"
#include "procfs/process/process_facts.h"
#include "procfs/process/process_status.h"
#include "store/write/coarsen.h"
#include "store/write/recording_writer.h"

#define NAMES_WAIT_NS 3000000000ull

struct outside_session {
    uint32_t pid;
    struct outside_options options;
    struct recording *recording;
    struct recording_writer *writer;
    char path[PATH_MAX];
    char root[32]; /* prefix of its files */
    uint64_t opened_ns, begin_ns;
    size_t names_asked;
    struct control *control; /* NULL: there is none, and nobody asks */
    bool is_asked;           /* to look at once */
    uint64_t looked_ns;      /* when that was done, and is to be written with names; 0: it is not */
    bool write_failed;
    bool is_renamed;
};

static void describe_program(struct outside_session *session)
{
    struct recording *recording = session->recording;
    char path[PATH_MAX], text[4096];
    path[0] = text[0] = '\0';
    if (session->pid)
        process_invoked_path(session->pid, path, sizeof(path));
    if (session->options.program && (!session->is_renamed || !path[0]))
        snprintf(path, sizeof(path), "%s", session->options.program);
    if (session->options.otherwise && !path[0])
        snprintf(path, sizeof(path), "%s", session->options.otherwise);
    if (session->is_renamed && !path[0])
        return; /* it was quicker than we: it keeps the name it had */
    recording->program = recording_intern(recording, path);
    const char *expected = session->options.command_line;
    if (session->pid && (session->is_renamed || !expected))
        process_command_line(session->pid, text, sizeof(text));
    if (text[0] || !session->is_renamed) /* one that is gone keeps what it had */
        recording->command_line =
            recording_intern(recording, text[0] || !expected ? text : expected);
}

static void describe(struct outside_session *session)
{
    struct recording *recording = session->recording;
    struct process_status status = {0};
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    if (session->pid)
        (void)process_status_read(session->pid, 0, &status);
    describe_program(session);
    recording->host = recording_intern(recording, host);
    recording->source = recording_intern(recording, session->options.source);
    recording->pid = session->pid;
    recording->parent_pid = status.parent;
    recording->start_unix_ns = unix_ns();
    recording->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    recording->machine_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * recording->page_bytes;
    recording->limit_bytes = session->pid ? memory_limit_read(session->pid) : 0;
    recording->exit_status = -1;
    if (session->options.has_begun && session->pid) {
        struct process_memory const memory = process_memory(session->pid);
        recording->before.attached = 1;
        recording->before.rss_bytes = memory.rss_bytes > 0 ? (uint64_t)memory.rss_bytes : 0;
    }
}

static int write_out(struct outside_session *session, struct fault *fault)
{
    struct recording *recording = session->recording;
    if (session->options.symbols)
        symbol_queue_fetch(session->options.symbols, recording);
    recording->written_unix_ns = unix_ns();
    return recording_writer_append(session->writer, recording, fault);
}

static void on_request(void *context, const char *request, char answer[CONTROL_TEXT_MAX])
{
    if (strcmp(request, "look") == 0)
        ((struct outside_session *)context)->is_asked = true;
    else
        snprintf(
            answer, CONTROL_TEXT_MAX,
            "it is recorded from outside, without any hook in it: it can only be asked to look");
}

static void destroy(struct outside_session *session)
{
    control_close(session->control);
    pss_reader_forget(session->options.pss, session->pid);
    if (session->options.symbols && session->recording)
        symbol_queue_forget(session->options.symbols, session->recording);
    if (session->options.cells)
        session->options.cells->forget(session->options.cells->self, session->pid);
    if (session->recording)
        recording_destroy(session->recording);
    free(session);
}

struct outside_session *outside_session_open(uint32_t pid, const struct outside_options *options,
                                             uint64_t now_ns, struct fault *fault)
{
    struct outside_session *session = calloc(1, sizeof(*session));
    if (session)
        session->recording = recording_create();
    if (!session || !session->recording) {
        free(session);
        fault_set(fault, -ENOMEM, "out of memory at the start of a recording");
        return NULL;
    }
    session->pid = pid;
    session->options = *options;
    session->opened_ns = now_ns;
    if (pid)
        snprintf(session->root, sizeof(session->root), "/proc/%u/root", pid);
    describe(session);
    session->options.otherwise = NULL; /* its text is the caller's */
    const char *program = recording_text(session->recording, session->recording->program);
    output_name(session->path, options->output, options->folder, program, pid);
    session->writer = recording_writer_create(session->path, options->max_bytes, fault);
    if (!session->writer) {
        destroy(session);
        return NULL;
    }
    (void)write_out(session, NULL);
    if (pid)
        session->control = control_open((pid_t)pid, on_request, session);
    return session;
}

uint32_t outside_session_pid(const struct outside_session *session)
{
    return session->pid;
}

const char *outside_session_path(const struct outside_session *session)
{
    return session->path;
}

const struct recording *outside_session_recording(const struct outside_session *session)
{
    return session->recording;
}

void outside_session_renamed(struct outside_session *session)
{
    session->is_renamed = true;
    describe_program(session);
}

static void ask_names(struct outside_session *session)
{
    struct recording *recording = session->recording;
    if (session->options.symbols && session->names_asked < recording->frames.count)
        session->names_asked = symbol_queue_ask(session->options.symbols, recording, session->root,
                                                session->names_asked);
}

static int close_bucket(struct outside_session *session, uint64_t now)
{
    struct recording *recording = session->recording;
    const struct cell_source *cells = session->options.cells;
    struct bucket bucket = {.begin_ns = session->begin_ns,
                            .end_ns = now,
                            .pss_bytes = pss_reader_take(session->options.pss, session->pid)};
    bucket.gauges =
        (struct gauges){.rss_bytes = session->pid ? process_memory(session->pid).rss_bytes : -1,
                        .heap_live_end = -1,
                        .heap_live_max = -1,
                        .heap_live_min = -1};
    int err = cells ? cells->take(cells->self, session->pid, recording, &bucket,
                                  session->opened_ns + session->begin_ns)
                    : 0;
    if (err < 0 || !vec_push(&recording->buckets, bucket)) {
        free(bucket.cells);
        free(bucket.thread_cells);
        free(bucket.moments);
        return -ENOMEM;
    }
    session->begin_ns = now;
    recording->duration_ns = now;
    ask_names(session);
    return 0;
}

/* Whether there is news to be written: the time has come, or somebody waits for it.  Then the names of what was found should be
 * there as well, unless they take long. */
static bool is_due(struct outside_session *session, uint64_t now)
{
    if (session->looked_ns == 0)
        return now >= session->begin_ns + ladder_bucket_ns(now);
    return !session->options.symbols || now >= session->looked_ns + NAMES_WAIT_NS ||
           symbol_queue_is_done(session->options.symbols, session->recording);
}

/* Looks if that was asked.  0 or -ENOMEM. */
static int look_if_asked(struct outside_session *session, uint64_t now_ns)
{
    const struct cell_source *cells = session->options.cells;
    uint64_t const now = now_ns - session->opened_ns;
    control_look(session->control, now_ns);
    if (!session->is_asked || session->looked_ns || now <= session->begin_ns)
        return 0;
    session->is_asked = false;
    session->looked_ns = now;
    if (cells && cells->look)
        cells->look(cells->self, session->pid);
    return close_bucket(session, monotonic_ns() - session->opened_ns); /* after it */
}

int outside_session_tick(struct outside_session *session, uint64_t now_ns, struct fault *fault)
{
    uint64_t const now = now_ns - session->opened_ns;
    int failed = look_if_asked(session, now_ns);
    if (failed == 0 && !is_due(session, now))
        return 0;
    if (failed == 0 && session->looked_ns == 0)
        failed = close_bucket(session, now);
    session->looked_ns = 0;
    if (failed < 0)
        return fault_set(fault, -ENOMEM, "out of memory while recording");
    int err = write_out(session, fault);
    bool const is_first = err < 0 && !session->write_failed;
    session->write_failed = err < 0;
    return is_first ? err : 0;
}

void outside_session_last_bucket(struct outside_session *session, uint64_t now_ns)
{
    uint64_t const now = now_ns - session->opened_ns;
    (void)close_bucket(session, now > session->begin_ns ? now : session->begin_ns + 1);
    if (session->options.symbols)
        symbol_queue_finish(session->options.symbols, session->recording);
}

int outside_session_close(struct outside_session *session, int exit_status, struct fault *fault)
{
    struct recording *recording = session->recording;
    recording->exit_status = exit_status;
    recording->quality.complete = true;
    recording->written_unix_ns = unix_ns();
    int const err = recording_writer_finish(session->writer, recording, fault);
    bool const told = session->write_failed;
    if (!told && !err)
        output_tell_size(session->path, session->options.max_bytes);
    destroy(session);
    return told ? 0 : err;
}
