/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cold.h"
#include "capture/sessions/output_name.h"
#include "capture/sessions/session_parts.h"
#include "capture/sessions/recorder.h"
#include "procfs/process/invoked_path.h"
#include "procfs/cgroup/memory_limit.h"
#include "procfs/process/process_facts.h"
#include "procfs/process/process_status.h"
#include "store/write/coarsen.h"
#include "store/write/recording_writer.h"

#define THREADS_MAX    4095u /* rows; further threads share the last one */
#define SAME_THREAD_NS 2000000000ull

/* Time for finding threads of another pid namespace by what they are called there: at once, and with every tick. */
#define SEARCH_AT_ONCE_NS  1000000000ull
#define SEARCH_PER_TICK_NS 50000000ull

/* A reader of the growing file is promised what was a second ago, so a tenth is left for resting,
 * writing and reading; early on, when buckets are short, it is written oftener. */
#define WRITE_MIN_NS 100000000ull
#define WRITE_MAX_NS LADDER_BUCKET_MAX_NS
#define WRITE_SHARE  4u
#define PEAK_MAX_NS  10000000000ull
#define LARGE_BLOCKS (256u << 10) /* more live blocks than the cache holds */

static void close_books(struct session *session)
{
    struct session_books *books = session->books;
    heap_book_destroy(books->heap);
    map_book_destroy(books->maps);
    session_told_fini(session);
    session_pages_fini(session);
    ordering_destroy(books->ordering);
    stack_import_destroy(books->stacks);
    books->heap = NULL;
    books->maps = NULL;
    books->ordering = NULL;
    books->stacks = NULL;
}

static void destroy(struct session *session)
{
    session_end_watch(session, false);
    close_books(session);
    pss_reader_forget(session->options.pss, session->pid);
    if (session->options.cells)
        session->options.cells->forget(session->options.cells->self, session->pid);
    recording_destroy(session->recording);
    free(session->books);
    free(session);
}

/* We know it by our own number, and its files by our own path, wherever it lives. */
static void describe_attached(struct session *session, const struct recorder_attached *attached)
{
    session->books->has_local_tids = session->pid == 0;
    session->pid = attached->pid;
    session->root = attached->root;
    (void)session_new_peak(session); /* what it was before is no part of the recording */
    session->recording->before = attached->before;
    session_note_earlier(session);
}

/* By what it was called, as long as it is there to be asked; else by what we were told to start. */
static void describe_program(struct session *session)
{
    const char *executable = session->books->process.path;
    const char *told = session->options.command_line;
    uint32_t const pid =
        session->options.attached ? session->options.attached->pid : session->books->process.pid;
    char path[PATH_MAX];
    process_program_path(pid, path, sizeof(path));
    if (pid && strcmp(path, executable) == 0)
        process_invoked_path(pid, path, sizeof(path));
    else
        program_invoked_path(executable, told ? told : "", 0, path, sizeof(path));
    session->recording->program = recording_intern(session->recording, path);
}

static void describe_process(struct session *session)
{
    struct recording *recording = session->recording;
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    describe_program(session);
    recording->command_line = recording_intern(
        recording, session->options.command_line ? session->options.command_line : "");
    recording->host = recording_intern(recording, host);
    recording->source = recording_intern(
        recording, session->options.source ? session->options.source : "memoir run");
    session->pid = session->books->process.pid;
    if (session->options.attached)
        describe_attached(session, session->options.attached);
    recording->pid = session->pid ? session->pid : session->books->process.local_pid;
    recording->parent_pid = session->books->process.parent_pid;
    recording->start_unix_ns = unix_ns() - session->options.age_ns;
    recording->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    recording->machine_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * recording->page_bytes;
    recording->limit_bytes = session->pid ? memory_limit_read(session->pid) : 0;
    session->books->traits = (struct program_traits){.pid = session->pid, .root = session->root};
    if (session->pid == 0)
        session_note(session,
                     "ran in a pid namespace without the recorder's /proc: its number is its own "
                     "there, its resident size and thread names are not known");
}

static int write_out(struct session *session, struct fault *fault)
{
    struct recording *recording = session->recording;
    if (session->options.symbols)
        symbol_queue_fetch(session->options.symbols, recording);
    recording->written_unix_ns = unix_ns();
    return recording_writer_append(session->writer, recording, fault);
}

/* A file that could not even be begun is not left behind empty. */
static void remove_empty(const char *path)
{
    struct stat about;
    if (lstat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0)
        unlink(path);
}

static struct recording_writer *make_file(const struct session *session, struct fault *fault)
{
    const struct session_options *options = &session->options;
    int const claim = options->claim ? *options->claim : -1;
    bool const is_new = options->made_output || access(session->path, F_OK) < 0;
    if (options->claim)
        *options->claim = -1;
    struct recording_writer *writer =
        claim < 0 ? recording_writer_create(session->path, options->max_bytes, fault)
                  : recording_writer_take(session->path, claim, options->max_bytes, fault);
    if (!writer && is_new)
        remove_empty(session->path);
    return writer;
}

static bool open_books(struct session *session, struct arena *arena, uint32_t process)
{
    struct session_books *books = session->books;
    books->arena = arena;
    books->process_index = process;
    arena_copy(&books->process, arena_process_at(arena->memory, process), sizeof(books->process));
    books->process.path[sizeof(books->process.path) - 1] = '\0';
    books->opened_monotonic_ns = monotonic_ns();
    books->heap = heap_book_create();
    books->maps = map_book_create();
    if (books->heap)
        books->ordering = ordering_create(books->heap, !books->process.forked);
    if (session->recording)
        books->stacks = stack_import_create(arena, session->recording);
    return books->ordering && books->stacks && books->maps;
}

static struct session *create(const struct session_options *options, uint64_t begin_ns)
{
    struct session *session = calloc(1, sizeof(*session));
    struct session_books *books = calloc(1, sizeof(*books));
    if (!session || !books) {
        free(session);
        free(books);
        return NULL;
    }
    session->books = books;
    session->options = *options;
    session->opened_ns = begin_ns;
    session->root = "";
    session->recording = recording_create();
    return session;
}

struct session *session_open(struct arena *arena, uint32_t process,
                             const struct session_options *options, uint64_t begin_ns,
                             struct fault *fault)
{
    struct session *session = create(options, begin_ns);
    if (!session || !open_books(session, arena, process)) {
        fault_set(fault, -ENOMEM, "out of memory at the start of a recording");
        if (session)
            destroy(session);
        return NULL;
    }
    describe_process(session);
    session_note_rate(session, begin_ns);
    if (!session_waits_for_parent(session))
        session_begin_limits(session);
    output_name(session->path, options->output, options->folder,
                recording_text(session->recording, session->recording->program),
                session->recording->pid);
    session->writer = make_file(session, fault);
    if (!session->writer) {
        destroy(session);
        return NULL;
    }
    recording_writer_write_behind(session->writer, options->disk);
    (void)write_out(session,
                    NULL); /* whose it is; a disk that is full is told with the first bucket */
    return session;
}

uint32_t session_process(const struct session *session)
{
    return session->books->process_index;
}

uint32_t session_pid(const struct session *session)
{
    return session->pid;
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

/* The row of a thread that somebody else has told of; count when there is none. */
static size_t find_told_thread(const struct session *session, uint32_t tid, uint64_t now)
{
    const struct recording *recording = session->recording;
    for (size_t i = session->options.cells ? recording->threads.count : 0; i-- > 0;) {
        const struct thread *thread = &recording->threads.items[i];
        if (thread->tid == tid && thread->merged == 1 && thread->last_ns + SAME_THREAD_NS >= now)
            return i;
    }
    return recording->threads.count;
}

/* The number by which we know a thread; its own when that is not known, or was asked for too often. */
static uint32_t outer_tid(struct session *session, uint32_t tid)
{
    struct allowance *allowed = &session->books->searches_allowed;
    allowed->most = SEARCH_AT_ONCE_NS;
    if (!session->books->has_local_tids || !allowance_is_left(allowed))
        return tid;
    uint64_t const start = monotonic_ns();
    uint32_t const found = process_find_thread(session->pid, tid);
    allowance_spend(allowed, monotonic_ns() - start);
    return found ? found : tid;
}

void session_note_ring(struct session *session)
{
    struct quality *quality = &session->recording->quality;
    if (++session->books->rings > 1)
        quality->peak_order_bytes =
            session->books->rings * (uint64_t)(ORDER_UNSURE_BYTES + ORDER_PAIR_BYTES);
}

uint32_t session_thread(struct session *session, uint32_t tid, uint64_t now_ns)
{
    struct recording *recording = session->recording;
    char name[64];
    uint64_t now = session_time(session, now_ns);
    uint32_t const seen_tid = outer_tid(session, tid);
    size_t const row = find_told_thread(session, seen_tid, now);
    if (row >= THREADS_MAX) {
        struct thread *last = &recording->threads.items[THREADS_MAX - 1];
        last->name = recording_intern(recording, "other threads");
        last->merged++;
        last->last_ns = now;
        return THREADS_MAX - 1;
    }
    if (row < recording->threads.count)
        return heap_book_reserve(session->books->heap, 0, (uint32_t)row + 1) < 0 ? 0
                                                                                 : (uint32_t)row;
    process_thread_name(session_pid(session), seen_tid, name, sizeof(name));
    struct thread thread = {.tid = seen_tid,
                            .name = recording_intern(recording, name),
                            .first_ns = now,
                            .last_ns = now,
                            .merged = 1};
    if (!vec_push(&recording->threads, thread) ||
        heap_book_reserve(session->books->heap, 0, (uint32_t)row + 1) < 0)
        return row > 0 ? (uint32_t)row - 1 : 0;
    return (uint32_t)row;
}

void session_note_thread(struct session *session, uint32_t row, uint64_t now)
{
    if (row < session->recording->threads.count)
        session->recording->threads.items[row].last_ns = now;
}

static COLD int make_site(struct session *session, uint32_t node, uint64_t rate, uint32_t *site)
{
    if (rate == RATE_FULL) {
        int err = stack_import_site(session->books->stacks, node, site);
        return err < 0 ? err : heap_book_reserve(session->books->heap, *site + 1, 1);
    }
    int err = stack_import_sampled_site(session->books->stacks, node, rate, site);
    if (err == 0)
        err = heap_book_reserve(session->books->heap, *site + 1, 1);
    return err < 0 ? err : heap_book_set_rate(session->books->heap, *site, rate);
}

int session_site(struct session *session, uint32_t node, uint64_t rate, uint32_t *site)
{
    if (likely(rate == RATE_FULL && stack_import_peek(session->books->stacks, node, site) &&
               heap_book_has_site(session->books->heap, *site)))
        return 0;
    uint32_t made = 0;
    int err = make_site(session, node, rate, &made);
    *site = made;
    return err;
}

int session_book(struct session *session, const struct heap_event *event, bool now)
{
    struct quality *quality = &session->recording->quality;
    int ahead = ordering_book(session->books->ordering, event, now, quality);
    if (ahead != 0)
        return ahead;
    bool makes = event->kind == HEAP_ALLOC || event->kind == HEAP_PAIR;
    quality->events += makes;
    quality->events += event->kind == HEAP_FREE || event->kind == HEAP_PAIR;
    if (makes)
        session_note_thread(session, event->block.thread, event->block.time_ns);
    return 0;
}

int session_map(struct session *session, uint64_t address, uint64_t length, uint32_t node)
{
    uint32_t site;
    int err = session_site(session, node, RATE_FULL, &site);
    session->recording->quality.events++;
    if (err == 0)
        err = map_book_map(session->books->maps, address, length, site);
    if (err < 0)
        session_lost(session, 1);
    return err;
}

int session_unmap(struct session *session, uint64_t address, uint64_t length)
{
    session->recording->quality.events++;
    if (session->books->regions && map_book_unmap(session->books->regions, address, length) < 0)
        return -ENOMEM;
    return map_book_unmap(session->books->maps, address, length);
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

bool session_is_large(const struct session *session)
{
    return heap_book_live_blocks(session->books->heap) > LARGE_BLOCKS;
}

void session_prefetch(const struct session *session, uint64_t address)
{
    ordering_prefetch(session->books->ordering, address);
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
    session->recording->cost.recorder_cpu_ns += session->books->pages.cpu_ns;
}

bool session_is_due(const struct session *session, uint64_t now_ns)
{
    uint64_t now = session_time(session, now_ns);
    return now > session->begin_ns && now >= session->ticked_ns + ladder_bucket_ns(now);
}

int session_tick(struct session *session, uint64_t now_ns, struct fault *fault)
{
    uint64_t now = session_time(session, now_ns);
    if (!session_is_due(session, now_ns))
        return 0;
    bool histograms = now - session->books->last_histograms_ns >= LADDER_HISTOGRAM_NS;
    session_note_rate(session, now_ns);
    session_tick_rate(session, now);
    allowance_add(&session->books->searches_allowed, SEARCH_PER_TICK_NS);
    session_look_at_pages(session, now);
    int err = session_close_bucket(session, now, histograms);
    if (err < 0)
        return fault_set(fault, err, "out of memory while recording");
    session->ticked_ns = now;
    if (histograms)
        session->books->last_histograms_ns = now;
    if (now - session->books->last_peak_ns >= within(now / 2, WRITE_MAX_NS, PEAK_MAX_NS)) {
        session->books->last_peak_ns = now;
        session_pin_peaks(session);
    }
    program_traits_look_if_due(&session->books->traits, session->recording, now);
    if (!write_is_due(session, now))
        return 0;
    session->last_write_ns = now;
    err = write_out(session, fault);
    bool first_failure = err < 0 && !session->write_failed;
    session->write_failed = err < 0;
    return first_failure ? err : 0;
}

int session_end(struct session *session, const struct session_end *end, struct fault *fault)
{
    struct recording *recording = session->recording;
    uint64_t now = session_time(session, end->now_ns);
    struct pin pin = {.kind = end->death ? PIN_DEATH : PIN_END, .time_ns = now};
    if (now <= session->begin_ns)
        now = session->begin_ns + 1;
    session_note_rate(session, end->now_ns);
    session_end_rate(session, now);
    session_tell_refused(session);
    program_traits_look(&session->books->traits, recording);
    session_tell_mappings(session, true);
    const struct cell_source *cells = session->options.cells;
    if (cells && session->pid)
        cells->conclude(cells->self, session->pid, recording);
    int err = session_close_bucket(session, now, true);
    if (err == 0)
        err = session_pin_peaks(session);
    if (err == 0 && end->death) {
        pin.label = recording_intern(recording, end->death);
        err = session_picture(session, &pin);
        if (err == 0)
            err = session_add_pin(session, &pin);
    }
    session_end_watch(session, true);
    recording->quality.samples_dropped =
        atomic_load(&session->books->arena->header->samples_dropped);
    recording->exit_status = end->exit_status;
    recording->end = end->end;
    recording->written_unix_ns = unix_ns();
    session_set_cost(session, &end->cost);
    if (session->options.attached)
        recording->before = session->options.attached->before; /* with what it took to get out */
    session_settle_totals(session, end);
    close_books(session);
    return err < 0 ? fault_set(fault, err, "out of memory at the end of a recording") : 0;
}

void session_sees_allocator(struct session *session)
{
    session->books->traits.allocator_is_seen = true;
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
    snprintf(path, sizeof(path), "%s", session->path);
    if (session->options.symbols)
        symbol_queue_forget(session->options.symbols, session->recording);
    recording_writer_finish(session->writer, session->recording, &ignored);
    destroy(session);
    unlink(path);
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
        output_tell_size(session->path, session->options.max_bytes);
    destroy(session);
    return err;
}
