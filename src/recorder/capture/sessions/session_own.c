/* SPDX-License-Identifier: Apache-2.0 */
/* session_own.c - how much of the memory of the watched process is ours, and what it says itself of
 * its memory. */
#include <sys/stat.h>

#include "capture/sessions/session_parts.h"

#define DATA_MOST     (64ull << 20) /* the tracer has less */
#define PEAK_MOST_KIB (1ull << 40)  /* no machine has so much */

int64_t session_own_bytes(const struct session *session)
{
    struct stat facts;
    return fstat(session->books->arena->fd, &facts) == 0 ? (int64_t)facts.st_blocks * 512 : 0;
}

/* Opened once: for a process that has become another program it then shows nothing more. */
static bool can_see_pages(struct session *session)
{
    struct session_books *books = session->books;
    if (!books->own.is_asked && session->proved_pid)
        books->own.is_open = pagemap_open(&books->own.pages, session->proved_pid, false) == 0;
    books->own.is_asked = true;
    return books->own.is_open;
}

/* The tracer's variables: tables that fill as the program uses more addresses. */
static int64_t resident_data(struct session *session)
{
    uint64_t const start = session->books->process.data_start & ~4095ull;
    uint64_t const end = (session->books->process.data_end + 4095) & ~4095ull;
    struct page_bytes bytes = {0};
    if (start == 0 || start >= end || end - start > DATA_MOST || !can_see_pages(session))
        return 0;
    int const err = pagemap_count(&session->books->own.pages, start, end, &bytes);
    return err < 0 ? 0 : (int64_t)bytes.resident;
}

static int64_t at_most(int64_t bytes, int64_t most)
{
    return bytes < most ? bytes : most > 0 ? most : 0;
}

int64_t session_own_part(struct session *session, const struct process_memory *memory)
{
    if (memory->rss_bytes <= 0)
        return 0;
    /* The recorder touches pages of the arena before the program does, and other processes of the
     * program have pages there, too. */
    int64_t const shared =
        session->shmem_bytes >= 0 ? session->shmem_bytes : memory->rss_bytes - memory->anon_bytes;
    return at_most(session_own_bytes(session), shared) +
           at_most(resident_data(session), memory->anon_bytes);
}

int64_t session_told_peak(const struct session *session)
{
    struct arena *arena = session->books->arena;
    uint64_t const kib =
        shared_get(shared_process_at(arena->memory, session_process(session)), peak_kib);
    return kib <= PEAK_MOST_KIB ? (int64_t)(kib * 1024) : 0;
}

void session_own_fini(struct session *session)
{
    if (session->books->own.is_open)
        pagemap_close(&session->books->own.pages);
    session->books->own.is_open = false;
}
