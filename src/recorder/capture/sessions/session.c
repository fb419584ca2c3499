/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "capture/sessions/control.h"
#include "capture/outputs/output_name.h"
#include "capture/sessions/session_core.h"
#include "capture/sessions/session_parts.h"
#include "store/write/coarsen.h"
#include "store/write/recording_writer.h"
#include "procfs/cgroup/cgroup_memory.h"
#include "procfs/memory/memory_status.h"

/* A reader of the growing file is promised what was a second ago, so a tenth is left for resting,
 * writing and reading; early on, when buckets are short, it is written oftener. */
#define WRITE_MIN_NS 100000000ull
#define WRITE_MAX_NS LADDER_BUCKET_MAX_NS
#define WRITE_SHARE  4u

static void destroy(struct session *session)
{
    control_close(session->control);
    if (session->books)
        session_books_destroy(session);
    pss_reader_forget(session->options.pss, session->proved_pid);
    if (session->options.cells)
        session->options.cells->forget(session->options.cells->self, session->pid);
    recording_destroy(session->recording);
    free(session);
}

static int write_out(struct session *session, struct fault *fault)
{
    struct recording *recording = session->recording;
    if (session->options.symbols)
        symbol_queue_fetch(session->options.symbols, recording);
    recording->written_unix_ns = unix_ns();
    return recording_writer_append(session->writer, recording, fault);
}

static struct recording_writer *make_file(const struct session *session, struct fault *fault)
{
    const struct session_options *options = &session->options;
    int const claim = options->claim ? *options->claim : -1;
    bool const is_new = options->made_output || !output_exists(session->path);
    if (options->claim)
        *options->claim = -1;
    struct recording_writer *writer =
        claim < 0 ? recording_writer_create(session->path, options->max_bytes, fault)
                  : recording_writer_take(session->path, claim, options->max_bytes, fault);
    if (!writer && is_new) /* not even begun */
        output_remove(session->path, true);
    return writer;
}

static struct session *create(const struct session_options *options, uint64_t begin_ns)
{
    struct session *session = calloc(1, sizeof(*session));
    if (!session)
        return NULL;
    session->options = *options;
    session->opened_ns = begin_ns;
    session->recording = recording_create();
    if (session->recording && (!options->rings || session_open_books(session, options->rings) == 0))
        return session;
    destroy(session);
    return NULL;
}

/* Says whom it is about, and what its file is called. */
static void introduce(struct session *session, uint64_t begin_ns)
{
    struct session_options *options = &session->options;
    session_describe(session);
    if (session->books)
        session_begin_books(session, begin_ns);
    output_name(session->path, options->output, options->folder,
                recording_text(session->recording, session->recording->program),
                session->recording->pid);
    options->rings = NULL; /* these are the caller's */
    options->otherwise = NULL;
}

struct session *session_open(const struct session_options *options, uint64_t begin_ns,
                             struct fault *fault)
{
    struct session *session = create(options, begin_ns);
    if (!session) {
        fault_set(fault, -ENOMEM, "out of memory at the start of a recording");
        return NULL;
    }
    introduce(session, begin_ns);
    session->writer = make_file(session, fault);
    if (!session->writer) {
        destroy(session);
        return NULL;
    }
    recording_writer_write_behind(session->writer, options->disk);
    (void)write_out(session,
                    NULL); /* whose it is; a disk that is full is told with the first bucket */
    if (!session->books)
        session_listen(session);
    return session;
}

uint32_t session_pid(const struct session *session)
{
    return session->pid;
}

bool session_is_proved(const struct session *session)
{
    return session->proved_pid != 0;
}

bool session_saw_oom_kill(const struct session *session)
{
    return oom_count_rose(&session->oom_count);
}

const char *session_path(const struct session *session)
{
    return session->path;
}

struct recording *session_recording(const struct session *session)
{
    return session->recording;
}

uint64_t session_time(const struct session *session, uint64_t now_ns)
{
    return now_ns > session->opened_ns ? now_ns - session->opened_ns : 0;
}

const struct cell_source *session_cells(const struct session *session)
{
    return session->pid || !session->books ? session->options.cells : NULL;
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Whether waiting for the next bucket would make the file too old. */
static bool write_is_due(const struct session *session, uint64_t now)
{
    uint64_t most = within(now / WRITE_SHARE, WRITE_MIN_NS, WRITE_MAX_NS);
    return now + ladder_bucket_ns(now) > session->last_write_ns + most;
}

void session_ask_names(struct session *session)
{
    if (session->options.symbols && session->symbols_asked < session->recording->frames.count)
        session->symbols_asked = symbol_queue_ask(session->options.symbols, session->recording,
                                                  session->root, session->symbols_asked);
}

void session_set_cost(struct session *session, const struct cost *cost)
{
    session->recording->cost = *cost;
    if (session->books)
        session->recording->cost.recorder_cpu_ns += session_books_cpu_ns(session);
}

void session_ask_pages(struct session *session)
{
    session->is_asked = true;
}

/* When the open bucket began, on the monotonic clock.  That of rings is another. */
static uint64_t began_ns(const struct session *session, uint64_t now)
{
    return session->books ? monotonic_ns() - (now - session->begin_ns)
                          : session->opened_ns + session->begin_ns;
}

void session_look_at_peak(struct session *session)
{
    struct memory_status memory;
    session->shmem_bytes = -1;
    if (session->proved_pid == 0 || memory_status_read(session->proved_pid, &memory) < 0)
        return;
    session->shmem_bytes = memory.shmem_bytes;
    if (memory.rss_peak_bytes <= session->rss_peak)
        return;
    session->rss_peak = session->rss_new = memory.rss_peak_bytes;
}

int64_t session_new_peak(struct session *session)
{
    session_look_at_peak(session);
    int64_t const risen = session->rss_new;
    session->rss_new = 0;
    return risen;
}

/* What the kernel says of the memory of the process; of another program that it has become, it is
 * none of ours. */
static struct process_memory read_memory(struct session *session, struct bucket *bucket)
{
    struct process_memory memory = process_memory(session->proved_pid);
    bucket->rss_max = session_new_peak(session);
    bucket->pss_bytes = pss_reader_collect(session->options.pss, session->proved_pid);
    if (session->books && !session_has_its_program(session)) {
        memory = (struct process_memory){-1, -1};
        bucket->rss_max = 0;
        bucket->pss_bytes = 0;
    }
    int64_t const told = session->books ? session_told_peak(session) : 0;
    if (told > session->rss_peak)
        session->rss_peak = bucket->rss_max = told;
    bucket->gauges = (struct gauges){memory.rss_bytes, -1, -1, -1};
    return memory;
}

/* All cells of a bucket, first those of the books. */
static int fill_bucket(struct session *session, struct bucket *bucket, bool histograms)
{
    const struct cell_source *cells = session_cells(session);
    struct process_memory const memory = read_memory(session, bucket);
    int err = session->books ? session_close_books(session, bucket, &memory, histograms) : 0;
    if (err == 0 && cells)
        err = cells->collect(cells->self, session->pid, session->recording, bucket,
                             began_ns(session, bucket->end_ns));
    if (err == 0 && session->books)
        err = session_close_touched(session, bucket);
    return err;
}

int session_close_bucket(struct session *session, uint64_t now, bool histograms)
{
    struct recording *recording = session->recording;
    struct bucket bucket = {.begin_ns = session->begin_ns, .end_ns = now};
    int const err = fill_bucket(session, &bucket, histograms);
    if (err < 0 || !vec_push(&recording->buckets, bucket)) {
        free(bucket.cells);
        free(bucket.thread_cells);
        free(bucket.moments);
        return -ENOMEM;
    }
    session->begin_ns = now;
    recording->duration_ns = now;
    if (session->books)
        session_sum_books(session);
    return 0;
}

static bool bucket_is_due(const struct session *session, uint64_t now)
{
    return now > session->begin_ns && now >= session->ticked_ns + ladder_bucket_ns(now);
}

bool session_is_due(const struct session *session, uint64_t now_ns)
{
    return !session->books || bucket_is_due(session, session_time(session, now_ns));
}

/* Whether there is something to write: 1 or 0; -ENOMEM. */
static int close_due(struct session *session, uint64_t now_ns)
{
    uint64_t const now = session_time(session, now_ns);
    if (!bucket_is_due(session, now))
        return 0;
    bool const histograms = session->books && session_before_bucket(session, now_ns);
    int const err = session_close_bucket(session, now, histograms);
    if (err < 0)
        return err;
    session->ticked_ns = now;
    if (session->books)
        session_after_bucket(session, now, histograms);
    return write_is_due(session, now);
}

int session_tick(struct session *session, uint64_t now_ns, struct fault *fault)
{
    int due = session->books ? 0 : session_answer(session, now_ns);
    if (due == -EAGAIN)
        return 0;
    if (due == 0)
        due = close_due(session, now_ns);
    if (due < 0)
        return fault_set(fault, due, "out of memory while recording");
    if (due == 0)
        return 0;
    session->last_write_ns = session_time(session, now_ns);
    int const err = write_out(session, fault);
    bool const first_failure = err < 0 && !session->write_failed;
    session->write_failed = err < 0;
    return first_failure ? err : 0;
}

bool session_has_failed(const struct session *session)
{
    return session->write_failed;
}

/* A process that was seen to end may have told of events later, by a clock that is read less
 * often: its last event is before its end. */
static uint64_t end_time(const struct session *session, uint64_t now_ns)
{
    uint64_t end_ns = session_time(session, now_ns);
    vec_each (thread, &session->recording->threads)
        if (thread->last_ns > end_ns)
            end_ns = thread->last_ns;
    return end_ns > session->begin_ns ? end_ns : session->begin_ns + 1;
}

int session_end(struct session *session, const struct session_end *end, struct fault *fault)
{
    struct recording *recording = session->recording;
    const struct cell_source *cells = session_cells(session);
    uint64_t const now = end_time(session, end->now_ns);
    if (session->books)
        session_last_books(session, end->now_ns);
    if (cells)
        cells->conclude(cells->self, session->pid, recording);
    int err = session_close_bucket(session, now, true);
    if (session->books)
        err = session_end_books(session, end, err);
    recording->exit_status = end->exit_status;
    recording->end = end->end;
    recording->written_unix_ns = unix_ns();
    session_set_cost(session, &end->cost);
    return err < 0 ? fault_set(fault, err, "out of memory at the end of a recording") : 0;
}

void session_note(struct session *session, const char *text)
{
    struct recording *recording = session->recording;
    (void)vec_push(&recording->notes, recording_intern(recording, text));
}

void session_abandon(struct session *session)
{
    struct fault ignored;
    char path[PATH_MAX];
    int *const claim = session->options.claim;
    snprintf(path, sizeof(path), "%s", session->path);
    if (claim && *claim < 0)
        *claim = recording_writer_claim(session->writer);
    if (session->options.symbols)
        symbol_queue_forget(session->options.symbols, session->recording);
    recording_writer_finish(session->writer, session->recording, &ignored);
    destroy(session);
    if (!claim || *claim < 0)
        output_remove(path, false);
}

bool session_name(struct session *session, bool wait)
{
    struct symbol_queue *symbols = session->options.symbols;
    if (!symbols)
        return true;
    session_ask_names(session);
    if (wait)
        symbol_queue_finish(symbols, session->recording);
    return wait || symbol_queue_is_done(symbols, session->recording);
}

int session_close(struct session *session, struct fault *fault)
{
    session->recording->quality.complete = true;
    int err = recording_writer_finish(session->writer, session->recording, fault);
    if (!err)
        output_tell_size(session->path, session->options.max_bytes, session->options.say);
    destroy(session);
    return err;
}
