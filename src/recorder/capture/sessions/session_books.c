/* SPDX-License-Identifier: Apache-2.0 */
/* session_books.c - opens and closes the books of a session, and takes the events of rings. */
#include "capture/sessions/session_books.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cold.h"
#include "capture/rings/arena_users.h"
#include "capture/sessions/process_keeper.h"
#include "capture/sessions/recorder.h"
#include "capture/sessions/session_parts.h"
#include "procfs/process/invoked_path.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_status.h"
#include "store/write/coarsen.h"

#define THREADS_MAX    4095u /* rows; further threads share the last one */
#define SAME_THREAD_NS 2000000000ull

/* Time for finding threads of another pid namespace by what they are called there: at once, and
 * with every tick. */
#define SEARCH_AT_ONCE_NS  NS_PER_SECOND
#define SEARCH_PER_TICK_NS 50000000ull

#define PEAK_MIN_NS  LADDER_BUCKET_MAX_NS
#define PEAK_MAX_NS  (10 * NS_PER_SECOND)
#define LARGE_BLOCKS (256u << 10) /* more live blocks than the cache holds */

static void close_books(struct session *session)
{
    struct session_books *books = session->books;
    heap_book_destroy(books->heap);
    map_book_destroy(books->maps);
    session_told_fini(session);
    session_pages_fini(session);
    session_own_fini(session);
    ordering_destroy(books->ordering);
    stack_import_destroy(books->stacks);
    books->heap = NULL;
    books->maps = NULL;
    books->ordering = NULL;
    books->stacks = NULL;
}

void session_books_destroy(struct session *session)
{
    session_end_watch(session, false);
    close_books(session);
    free(session->books);
    session->books = NULL;
}

uint64_t session_books_cpu_ns(const struct session *session)
{
    return session->books->pages.cpu_ns;
}

int session_open_books(struct session *session, const struct session_rings *rings)
{
    struct arena *arena = rings->arena;
    struct session_books *books = calloc(1, sizeof(*books));
    session->books = books;
    if (!books)
        return -ENOMEM;
    books->arena = arena;
    books->process_index = rings->process;
    books->look_every_ns = rings->look_every_ns;
    books->watcher = rings->watcher;
    books->attached = rings->attached;
    books->memory = rings->memory;
    shared_copy_process(&books->process, shared_process_at(arena->memory, rings->process));
    /* What was copied: the entry may say something else by now. */
    books->is_proved = (books->process.pid != 0 && books->process.pid == rings->program_pid) ||
                       arena_users_prove(arena->users, books->process.pid);
    books->opened_monotonic_ns = monotonic_ns();
    books->heap = heap_book_create();
    books->maps = map_book_create();
    books->stacks = stack_import_create(arena, session->recording);
    if (books->heap)
        books->ordering = ordering_create(books->heap, !books->process.forked);
    return books->ordering && books->stacks && books->maps ? 0 : -ENOMEM;
}

/* We know it by our own number, and its files by our own path, wherever it lives. */
static void describe_attached(struct session *session, const struct recorder_attached *attached)
{
    session->books->has_local_tids = session->pid == 0;
    session->pid = session->proved_pid = attached->pid;
    snprintf(session->root, sizeof(session->root), "%s", attached->root);
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
        session->books->attached ? session->books->attached->pid : session->proved_pid;
    char path[PATH_MAX];
    process_program_path(pid, path, sizeof(path));
    bool const is_there = pid && strcmp(path, executable) == 0;
    if (is_there)
        process_invoked_path(pid, path, sizeof(path));
    if (!is_there || !path[0]) /* it may have ended between two looks */
        program_invoked_path(executable, told ? told : "", 0, path, sizeof(path));
    session->recording->program = recording_intern(session->recording, path);
}

void session_describe_books(struct session *session)
{
    const struct session_books *books = session->books;
    struct recording *recording = session->recording;
    session->pid = books->process.pid;
    session->proved_pid = books->is_proved ? session->pid : 0;
    describe_program(session);
    recording->command_line = recording_intern(
        recording, session->options.command_line ? session->options.command_line : "");
    if (books->attached)
        describe_attached(session, books->attached);
    recording->pid = session->pid ? session->pid : books->process.local_pid;
    recording->parent_pid = books->process.parent_pid;
    if (session->pid == 0)
        session_note(session,
                     "the process ran in a PID namespace that the recorder's /proc does not show: "
                     "its PID is the one inside the namespace, its resident size and thread names "
                     "are not known");
}

/* The file of the program that the process is now. */
static bool find_file(const struct session *session, uint64_t *device, uint64_t *inode)
{
    struct stat about;
    if (!session->proved_pid || proc_stat(session->proved_pid, 0, PROC_EXE, &about) < 0)
        return false;
    *device = about.st_dev;
    *inode = about.st_ino;
    return true;
}

/* One that has its own library again says so itself; another one, its file. */
bool session_has_its_program(struct session *session)
{
    struct session_books *books = session->books;
    uint64_t device, inode;
    if (!books->is_replaced)
        books->is_replaced = process_is_superseded(books->arena, books->process_index) ||
                             (books->file_inode && find_file(session, &device, &inode) &&
                              (device != books->file_device || inode != books->file_inode));
    return !books->is_replaced;
}

bool session_was_replaced(const struct session *session)
{
    return session->books->is_replaced;
}

void session_begin_books(struct session *session, uint64_t begin_ns)
{
    (void)find_file(session, &session->books->file_device, &session->books->file_inode);
    session->books->traits =
        (struct program_traits){.pid = session->proved_pid, .root = session->root};
    session_note_rate(session, begin_ns);
    if (!session_waits_for_parent(session))
        session_begin_limits(session);
}

uint32_t session_process(const struct session *session)
{
    return session->books->process_index;
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

/* The number by which we know a thread; its own when that is not known, or was asked for too
 * often. */
static uint32_t outer_tid(struct session *session, uint32_t tid)
{
    struct allowance *allowed = &session->books->searches_allowed;
    allowed->most = SEARCH_AT_ONCE_NS;
    if (!session->books->has_local_tids || !allowance_is_left(allowed))
        return tid;
    uint64_t const start = monotonic_ns();
    uint32_t const found = process_find_thread(session->proved_pid, tid);
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
    process_thread_name(session->proved_pid, seen_tid, name, sizeof(name));
    process_name_mend(session->books->process.path, session->pid, name, sizeof(name));
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

bool session_is_large(const struct session *session)
{
    return heap_book_live_blocks(session->books->heap) > LARGE_BLOCKS;
}

void session_prefetch(const struct session *session, uint64_t address)
{
    ordering_prefetch(session->books->ordering, address);
}

bool session_before_bucket(struct session *session, uint64_t now_ns)
{
    uint64_t const now = session_time(session, now_ns);
    session_note_rate(session, now_ns);
    session_tick_rate(session, now);
    allowance_add(&session->books->searches_allowed, SEARCH_PER_TICK_NS);
    if (session_has_its_program(session))
        session_look_at_pages(session, now);
    return now - session->books->last_histograms_ns >= LADDER_HISTOGRAM_NS;
}

static uint64_t peak_pause(uint64_t now)
{
    uint64_t const half = now / 2;
    return half < PEAK_MIN_NS ? PEAK_MIN_NS : half > PEAK_MAX_NS ? PEAK_MAX_NS : half;
}

void session_after_bucket(struct session *session, uint64_t now, bool histograms)
{
    struct session_books *books = session->books;
    if (histograms)
        books->last_histograms_ns = now;
    if (now - books->last_peak_ns >= peak_pause(now)) {
        books->last_peak_ns = now;
        session_pin_peaks(session);
    }
    program_traits_look_if_due(&books->traits, session->recording, now);
}

void session_last_books(struct session *session, uint64_t now_ns)
{
    uint64_t const now = session_time(session, now_ns);
    session_note_rate(session, now_ns);
    session_end_rate(session, now > session->begin_ns ? now : session->begin_ns + 1);
    session_tell_refused(session);
    if (session_has_its_program(session))
        program_traits_look(&session->books->traits, session->recording);
    session_tell_mappings(session, true);
}

/* As it was when it died. */
static int pin_death(struct session *session, const struct session_end *end)
{
    struct pin pin = {.kind = PIN_DEATH,
                      .time_ns = session_time(session, end->now_ns),
                      .label = recording_intern(session->recording, end->death)};
    int const err = session_picture(session, &pin);
    return err < 0 ? err : session_add_pin(session, &pin);
}

int session_end_books(struct session *session, const struct session_end *end, int err)
{
    struct recording *recording = session->recording;
    if (err == 0)
        err = session_pin_peaks(session);
    if (err == 0 && end->death)
        err = pin_death(session, end);
    session_end_watch(session, true);
    recording->quality.samples_dropped = shared_get(session->books->arena->memory, samples_dropped);
    if (session->books->attached)
        recording->before = session->books->attached->before; /* with what it took to get out */
    session_settle_totals(session, end);
    close_books(session);
    return err;
}

void session_sees_allocator(struct session *session)
{
    session->books->traits.allocator_is_seen = true;
}
