/* SPDX-License-Identifier: Apache-2.0 */
/* session_pages.c - finds out, now and then, who owns the resident pages of the process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

#include "capture/sessions/session_parts.h"

/* The first looks come early, so that short runs have some; later they cost at most one part in
 * so many. */
#define FIRST_LOOK_NS    500000000ull
#define LOOK_SHARE       100u
#define NAMES_WAIT_NS    3000000000ull
#define TOUCHERS_WAIT_NS 2000000000ull

static uint64_t next_look(const struct session *session, uint64_t now, uint64_t took_ns)
{
    uint64_t const every = session->books->look_every_ns;
    uint64_t pause = now < every ? now : every;
    if (pause < took_ns * LOOK_SHARE)
        pause = took_ns * LOOK_SHARE;
    return now + pause;
}

/* An address in the stack of each thread that records. */
static size_t find_stacks(const struct session *session, struct stack_spot *spots, size_t room)
{
    struct shared_arena *arena = session->books->arena->memory;
    uint32_t const high = arena_slot_high(session->books->arena);
    size_t count = 0;
    for (uint32_t i = 0; i < high && count < room; i++) {
        struct shared_tag *tag = shared_tag_at(arena, i);
        uint32_t const owner = shared_get(tag, owner);
        if (owner == 0 || owner == SLOT_TAKING ||
            shared_get(tag, process) != session->books->process_index)
            continue;
        uint64_t const top = shared_get(shared_slot_at(arena, i), stack_high);
        if (top > sizeof(uint64_t))
            spots[count++] = (struct stack_spot){top - sizeof(uint64_t), shared_get(tag, tid)};
    }
    return count;
}

struct beginning {
    struct page_look *look;
    struct page_look_question *question;
};

static int begin_call(void *context, const struct touchers *touchers)
{
    struct beginning *beginning = context;
    beginning->question->touchers = *touchers;
    int const err = page_look_begin(beginning->look, beginning->question);
    return err == -EAGAIN ? -ENOMEM : err;
}

/* Whether it must wait for whoever knows who touched which page; but not for long.  If it need
 * not, it may have begun. */
static bool begin_with_touchers(struct session *session, struct page_look_question *question,
                                uint64_t now)
{
    const struct cell_source *cells = session->options.cells;
    struct beginning beginning = {&session->books->pages.look, question};
    if (!cells || !cells->with_touchers)
        return false;
    if (session->books->pages.wanted_ns == 0)
        session->books->pages.wanted_ns = now;
    int const err = cells->with_touchers(cells->self, session->pid, begin_call, &beginning);
    question->touchers = (struct touchers){0};
    return err == -EAGAIN && now < session->books->pages.wanted_ns + TOUCHERS_WAIT_NS;
}

/* Without a list, which takes no more than some kilobytes, all memory that is nobody's may be
 * from before us. */
void session_note_earlier(struct session *session)
{
    struct session_pages *pages = &session->books->pages;
    struct map_list maps;
    if (map_list_read(session->proved_pid, &maps) < 0)
        return;
    vec_each (region, &maps.regions) {
        struct page_span *last =
            pages->earlier.count ? &pages->earlier.items[pages->earlier.count - 1] : NULL;
        if (last && last->end == region->start) {
            last->end = region->end;
        } else if (!vec_push(&pages->earlier, (struct page_span){region->start, region->end})) {
            vec_free(&pages->earlier);
            break;
        }
    }
    map_list_fini(&maps);
}

static void begin_look(struct session *session, uint64_t now)
{
    static struct stack_spot spots[ARENA_SLOTS];
    /* Blocks that were not followed may be in memory of any age. */
    bool const has_unknown = session->recording->quality.off_ns != 0 ||
                             (session->books->process.forked && !session->books->has_inherited);
    struct page_look_question question = {
        .pid = session->proved_pid,
        .heap = session->books->heap,
        .maps = session->books->maps,
        .regions = session->books->regions,
        .site_count = stack_import_site_count(session->books->stacks),
        .stacks = spots,
        .stack_count = find_stacks(session, spots, ARENA_SLOTS),
        .is_attached = session->recording->before.attached != 0 || has_unknown,
        .earlier = has_unknown ? NULL : session->books->pages.earlier.items,
        .earlier_count = has_unknown ? 0 : session->books->pages.earlier.count,
        .is_sampled = session->recording->quality.sample_rate != 0};
    if (begin_with_touchers(session, &question, now))
        return;
    session->books->pages.began_ns = now;
    session->is_asked = false;
    session->books->pages.wanted_ns = 0;
    if (!session->books->pages.look.worker &&
        page_look_begin(&session->books->pages.look, &question) < 0)
        session->books->pages.next_ns = next_look(session, now, 0);
}

/* The site under which an owner stands; those without a call stack have a name instead. */
static int site_of(struct session *session, const struct look_owner *owner, uint32_t *site)
{
    *site = owner->owned.who;
    if (owner_has_site(owner->owned.kind))
        return 0;
    string_id const name = recording_intern(session->recording, owner->name);
    return stack_import_site_under(session->books->stacks, TRIE_COMPLETE, name, site);
}

static unsigned column_of_owner(enum owner_kind kind)
{
    return COL_RESIDENT_0 + 2 * kind;
}

static unsigned column_of_toucher(enum owner_kind kind)
{
    return COL_TOUCHED_0 + 2 * owner_touched_place(kind);
}

/* One kind of list, from look to look. */
struct noting {
    const struct owned_list *before, *now; /* both are in order */
    unsigned (*column)(enum owner_kind kind);
    struct found_cells *news;
};

static int note_change(const struct noting *noting, const struct owned *owned, uint64_t before)
{
    struct cell cell = {owned->who, (uint16_t)noting->column(owned->kind),
                        (int64_t)(owned->bytes - before)};
    if (owned->bytes == before)
        return 0;
    if (owned->bytes < before) {
        cell.column++;
        cell.value = (int64_t)(before - owned->bytes);
    }
    return vec_push(&noting->news->items, cell) ? 0 : -ENOMEM;
}

/* What each has more or less than at the look before. */
static int note_changes(const struct noting *noting)
{
    const struct owned_list *before = noting->before, *now = noting->now;
    size_t i = 0, k = 0;
    int err = 0;
    while (err == 0 && (i < now->items.count || k < before->items.count)) {
        const struct owned *new = i < now->items.count ? &now->items.items[i] : NULL;
        const struct owned *old = k < before->items.count ? &before->items.items[k] : NULL;
        INVARIANT(old || new); /* or the loop had ended */
        int const order = !new ? 1 : !old ? -1 : owned_compare(new, old);
        if (order <= 0)
            err = note_change(noting, new, order == 0 ? old->bytes : 0);
        else
            err = note_change(noting, &(struct owned){old->kind, old->who, 0}, old->bytes);
        i += order <= 0;
        k += order >= 0;
    }
    return err;
}

static int apply_touched(struct session *session, const struct page_look_result *result)
{
    struct session_pages *pages = &session->books->pages;
    struct owned_list now = {.items = {NULL, 0, 0}};
    int err = 0;
    vec_each (owned, &result->touched)
        if (err == 0 && !vec_push(&now.items, *owned))
            err = -ENOMEM;
    if (err == 0)
        err = note_changes(
            &(struct noting){&pages->touched_last, &now, column_of_toucher, &pages->touched_news});
    vec_free(&pages->touched_last.items);
    pages->touched_last = now;
    return err;
}

static int apply_result(struct session *session, const struct page_look_result *result)
{
    struct owned_list now = {.items = {NULL, 0, 0}};
    int err = 0;
    vec_each (owner, &result->owners) {
        struct owned owned = owner->owned;
        if (err == 0)
            err = site_of(session, owner, &owned.who);
        if (err == 0 && !vec_push(&now.items, owned))
            err = -ENOMEM;
    }
    if (now.items.count)
        qsort(now.items.items, now.items.count, sizeof(struct owned), owned_compare);
    if (err == 0)
        err = note_changes(&(struct noting){&session->books->pages.last, &now, column_of_owner,
                                            &session->books->pages.news});
    vec_free(&session->books->pages.last.items);
    session->books->pages.last = now;
    return err < 0 ? err : apply_touched(session, result);
}

static void note_failure(struct session *session, int err)
{
    if (session->books->pages.has_failed || err == -ESRCH || err == -ENOENT)
        return;
    session->books->pages.has_failed = true;
    session_note(
        session,
        err == -EACCES || err == -EPERM
            ? "memoir may not read the pages of the process, so the owners of its resident memory "
              "are not known; run memoir as the user of the process or as root"
            : "a snapshot of the pages failed: the owners of the resident memory are not known for "
              "a while");
}

static void end_look(struct session *session, uint64_t now)
{
    struct page_look_result result;
    uint64_t const looks = session->recording->residency.looks;
    int const err = page_look_end(&session->books->pages.look, &result);
    if (err == -EAGAIN)
        return;
    session->books->pages.next_ns = next_look(session, now, result.cpu_ns);
    session->books->pages.cpu_ns += result.cpu_ns;
    if (err < 0) {
        note_failure(session, err);
        return;
    }
    if (apply_result(session, &result) == 0) {
        session->books->pages.found = result.residency;
        session->books->pages.found.looks = looks + 1;
        session->books->pages.found.time_ns = session->books->pages.began_ns;
        session_keep_mappings(session, &result);
        session_tell_mappings(session, false);
    }
    page_look_result_fini(&result);
}

/* Whoever asked waits for this: the names of what was found should be there as well, unless they
 * take long. */
static void tell(struct session *session, uint64_t now)
{
    struct session_pages *pages = &session->books->pages;
    if (!pages->found.looks ||
        (!session_name(session, false) && now < pages->found.time_ns + NAMES_WAIT_NS))
        return;
    session->recording->residency = pages->found;
    pages->found.looks = 0;
}

void session_look_at_pages(struct session *session, uint64_t now)
{
    if (session->proved_pid == 0)
        return;
    tell(session, now);
    if (session->books->pages.next_ns == 0)
        session->books->pages.next_ns = FIRST_LOOK_NS;
    if (session->books->pages.look.worker)
        end_look(session, now);
    else if (session->is_asked ||
             (session->books->look_every_ns && now >= session->books->pages.next_ns))
        begin_look(session, now);
}

int session_close_pages(struct session *session, struct bucket *bucket)
{
    size_t const count = session->books->pages.news.items.count;
    if (count == 0)
        return 0;
    struct cell *grown =
        reallocarray(bucket->cells, bucket->cell_count + count, sizeof(struct cell));
    if (!grown)
        return -ENOMEM;
    bucket->cells = grown;
    memcpy(grown + bucket->cell_count, session->books->pages.news.items.items,
           count * sizeof(struct cell));
    bucket->cell_count += count;
    session->books->pages.news.items.count = 0;
    return 0;
}

int session_close_touched(struct session *session, struct bucket *bucket)
{
    const struct cell_source *cells = session->options.cells;
    struct found_cells *news = &session->books->pages.touched_news;
    if (news->items.count == 0)
        return 0;
    int const err = cells->carry(cells->self, session->pid, session->recording, news, bucket);
    news->items.count = 0;
    return err == -ENOMEM ? err : 0; /* nobody knows any more who they were */
}

void session_pages_fini(struct session *session)
{
    if (session->books->pages.found.looks)
        session->recording->residency = session->books->pages.found;
    session->books->pages.found.looks = 0;
    session_mappings_fini(session);
    page_look_cancel(&session->books->pages.look);
    vec_free(&session->books->pages.earlier);
    vec_free(&session->books->pages.last.items);
    vec_free(&session->books->pages.touched_last.items);
    vec_free(&session->books->pages.news.items);
    vec_free(&session->books->pages.touched_news.items);
}
