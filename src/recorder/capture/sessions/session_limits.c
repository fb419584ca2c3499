/* SPDX-License-Identifier: Apache-2.0 */
/* session_limits.c - limits the blocks of a process by its memory: a process that reports more
 * would only fill our memory. */
#include <stdio.h>

#include "base/clock.h"
#include "capture/sessions/memory_bound.h"
#include "capture/sessions/session_parts.h"
#include "procfs/memory/memory_status.h"

/* Some anyway, for they may lie in memory that it has not touched; where its size is not known;
 * and by its size: blocks may be as small as 8 bytes, of which we keep more than that. */
static const struct heap_limits anyway = {16u << 20, {.bytes = 512ull << 20, .pages = 4u << 20}};
static const struct heap_limits unknown = {64u << 20, {.bytes = 1ull << 30, .pages = 16u << 20}};
#define BYTES_OF_BLOCK 8u
#define OURS_PER_BYTE  3u
#define OURS_OF_PAGE   64u   /* at least */
#define BYTES_OF_PAGE  2048u /* half: as many again may not be touched */

#define ASK_EVERY_NS 10000000ull

/* One of several processes gets half of what is left, and may ask again. */
static void bound_table(struct session_books *books, struct block_limits *table)
{
    if (books->memory) {
        if (books->memory_most > books->memory->program_bytes)
            books->memory->program_bytes = books->memory_most;
        uint64_t const most =
            heap_book_table_bytes(books->heap) + memory_bound_left(books->memory) / 2;
        books->is_bounded = most < table->bytes;
        if (books->is_bounded)
            table->bytes = most;
    }
    books->most_table_bytes = table->bytes;
}

void session_limit_blocks(struct session *session, int64_t memory_bytes)
{
    if (memory_bytes > (int64_t)session->books->memory_most)
        session->books->memory_most = (uint64_t)memory_bytes;
    uint64_t const most = session->books->memory_most;
    struct heap_limits limits = most ? anyway : unknown;
    limits.blocks += most / BYTES_OF_BLOCK;
    limits.table.bytes += OURS_PER_BYTE * most + session->books->inherited_table_bytes;
    limits.table.pages +=
        most / BYTES_OF_PAGE + session->books->inherited_table_bytes / OURS_OF_PAGE;
    bound_table(session->books, &limits.table);
    heap_book_limit(session->books->heap, &limits);
}

/* It may have grown since the last bucket. */
static bool ask_for_more(void *context)
{
    struct session *session = context;
    struct memory_status memory;
    uint64_t const before = session->books->memory_most, now = monotonic_ns();
    uint64_t const table_before = session->books->most_table_bytes;
    session->books->was_bounded |= session->books->is_bounded;
    if (now - session->books->asked_memory_ns < ASK_EVERY_NS)
        return false;
    session->books->asked_memory_ns = now;
    if (session->proved_pid == 0 || memory_status_read(session->proved_pid, &memory) < 0)
        return false;
    session_limit_blocks(session, memory.rss_peak_bytes + memory.swap_bytes);
    return session->books->memory_most > before || session->books->most_table_bytes > table_before;
}

void session_begin_limits(struct session *session)
{
    session->books->inherited_table_bytes = heap_book_table_bytes(session->books->heap);
    session_limit_blocks(session, 0);
    heap_book_ask_for_more(session->books->heap, ask_for_more, session);
    (void)ask_for_more(session);
}

void session_tell_refused(struct session *session)
{
    char text[160];
    uint64_t const refused = heap_book_refused(session->books->heap);
    if (refused == 0)
        return;
    snprintf(text, sizeof(text),
             "%llu blocks are not in the recording: the program reported more blocks than %s",
             (unsigned long long)refused,
             session->books->was_bounded ? "the recorder may have memory for (--max-memory)"
                                         : "the machine has memory for");
    session_note(session, text);
}
