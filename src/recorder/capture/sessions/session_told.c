/* SPDX-License-Identifier: Apache-2.0 */
/* session_told.c - what the program itself tells, through memoir.h: blocks of its own
 * allocators, and names. */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "capture/sessions/session_parts.h"

/* "pool: name", "region: name". */
#define NAME_MAX_BYTES 160

/* Each mark is a bucket, and a text: so many at once, and then one in so long on average. */
#define MARKS_AT_ONCE  4096u
#define MARKS_EVERY_NS NS_PER_SECOND

#define NAMES_MAX 4096u /* of pools and regions; further ones share one */

void session_told_fini(struct session *session)
{
    pool_book_destroy(session->books->pools);
    map_book_destroy(session->books->regions);
    session->books->pools = NULL;
    session->books->regions = NULL;
}

static int open_pools(struct session *session)
{
    if (!session->books->pools)
        session->books->pools = pool_book_create(!session->books->process.forked);
    return session->books->pools ? 0 : -ENOMEM;
}

/* The text under which such stacks stand; STRING_EMPTY when it has no name. */
static string_id label_of(struct session *session, const char *kind, struct slice name)
{
    char text[NAME_MAX_BYTES];
    if (name.size == 0)
        return STRING_EMPTY;
    snprintf(text, sizeof(text), "%s: %.*s", kind, (int)name.size, name.data);
    string_id const known = string_table_find(session->recording->strings, slice_of(text));
    if (known)
        return known;
    if (session->books->names_told >= NAMES_MAX)
        return recording_intern(session->recording, "more names");
    session->books->names_told++;
    return recording_intern(session->recording, text);
}

static int site_under(struct session *session, uint32_t node, string_id label, uint32_t *site)
{
    if (label == STRING_EMPTY)
        return stack_import_site(session->books->stacks, node, site);
    return stack_import_site_under(session->books->stacks, node, label, site);
}

int session_told_pool(struct session *session, uint32_t fill, uint32_t before, struct slice name,
                      uint64_t time_ns)
{
    if (open_pools(session) < 0)
        return -ENOMEM;
    int64_t freed = pool_book_begin_fill(session->books->pools, fill, before,
                                         label_of(session, "pool", name), time_ns);
    if (freed < 0)
        return -ENOMEM;
    session->recording->quality.events += (uint64_t)freed;
    return 0;
}

int session_told_block(struct session *session, struct told_block *told, bool now)
{
    struct quality *quality = &session->recording->quality;
    struct block *block = &told->event.block;
    string_id label;
    if (open_pools(session) < 0)
        return -ENOMEM;
    bool makes = told->event.kind == HEAP_ALLOC;
    if (!pool_book_name(session->books->pools, told->fill, &label) && !now)
        return 1;
    if (makes && (site_under(session, told->node, label, &block->site) < 0 ||
                  pool_book_reserve(session->books->pools, block->site + 1, block->thread + 1) < 0))
        return -ENOMEM;
    int ahead = pool_book_event(session->books->pools, &told->event, told->fill, now, quality);
    if (ahead != 0)
        return ahead;
    quality->events++;
    if (makes)
        session_note_thread(session, block->thread, block->time_ns);
    return 0;
}

int session_told_region(struct session *session, const struct told_region *region)
{
    uint32_t site;
    if (!session->books->regions && !(session->books->regions = map_book_create_for_regions()))
        return -ENOMEM;
    session->recording->quality.events++;
    if (region->name.size == 0)
        return map_book_unmap(session->books->regions, region->start, region->length);
    if (site_under(session, region->node, label_of(session, "region", region->name), &site) < 0)
        return -ENOMEM;
    return map_book_map(session->books->regions, region->start, region->length, site);
}

/* An end is taken whenever its beginning was.  A mark may say any time: how long it has been we
 * know ourselves. */
static bool may_mark(const struct session *session, enum mark_kind kind, struct slice text)
{
    const struct mark_list *marks = &session->recording->marks;
    if (kind == MARK_END) {
        string_id const label = string_table_find(session->recording->strings, text);
        return marks->phases > 0 && marks_is_open(marks, label);
    }
    uint64_t const passed_ns = monotonic_ns() - session->books->opened_monotonic_ns;
    return marks->instants + marks->phases < MARKS_AT_ONCE + passed_ns / MARKS_EVERY_NS;
}

int session_told_mark(struct session *session, enum mark_kind kind, struct slice text,
                      uint64_t time_ns)
{
    struct recording *recording = session->recording;
    /* What is booked cannot be unbooked: a ring that was read late has its mark at the end of
     * what there is. */
    uint64_t now = time_ns > session->begin_ns ? time_ns : session->begin_ns + 1;
    string_id label = STRING_EMPTY;
    if (!may_mark(session, kind, text)) {
        recording->marks.left_out += kind != MARK_END; /* an end alone is nothing */
        return 0;
    }
    if (string_table_intern(recording->strings, text, &label) < 0)
        return -ENOMEM;
    if (kind != MARK_END || marks_is_open(&recording->marks, label)) {
        int err = session_close_bucket(session, now, false);
        if (err < 0)
            return err;
    }
    int const err = marks_add(&recording->marks, kind, label, now);
    if (err < 0)
        return err;
    struct totals totals;
    heap_book_totals(session->books->heap, &totals);
    marks_set_sums(
        &recording->marks, now,
        &(struct mark_sums){totals.calls, totals.bytes, totals.frees, totals.freed_bytes});
    return 0;
}

int session_close_told(struct session *session, struct bucket *bucket, bool histograms)
{
    int err = 0;
    if (session->books->pools) {
        struct heap_book *blocks = pool_book_blocks(session->books->pools);
        err = heap_book_close_bucket(blocks, bucket);
        if (err == 0 && histograms)
            err = heap_book_close_histograms(blocks, bucket);
    }
    if (err == 0 && session->books->regions)
        err = map_book_close_bucket(session->books->regions, bucket);
    return err;
}

void session_sum_told(struct session *session)
{
    struct recording *recording = session->recording;
    if (session->books->pools)
        heap_book_totals(pool_book_blocks(session->books->pools), &recording->pools);
    if (session->books->regions)
        map_book_totals(session->books->regions, &recording->regions);
}
