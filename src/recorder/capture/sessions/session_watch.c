/* SPDX-License-Identifier: Apache-2.0 */
/* session_watch.c - the looks of a watcher at one process. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "capture/sessions/session_parts.h"
#include "procfs/memory/memory_status.h"

#define LOOK_NS NS_PER_SECOND

static int64_t live_of(const struct totals *totals)
{
    return (int64_t)(totals->bytes - totals->freed_bytes);
}

static struct watch_view make_view(struct session *session, uint64_t now)
{
    struct totals heap = {0}, maps = {0}, pools = {0}, regions = {0};
    heap_book_totals(session->books->heap, &heap);
    map_book_totals(session->books->maps, &maps);
    if (session->books->pools)
        heap_book_totals(pool_book_blocks(session->books->pools), &pools);
    if (session->books->regions)
        map_book_totals(session->books->regions, &regions);
    return (struct watch_view){.session = session,
                               .recording = session->recording,
                               .path = session->path,
                               .pid = session->pid,
                               .time_ns = now,
                               .unix_ns = unix_ns(),
                               .memory = session->books->watched_memory,
                               .own_bytes = session_own_bytes(session),
                               .heap_bytes = live_of(&heap),
                               .heap_blocks = (int64_t)(heap.calls - heap.frees),
                               .pool_bytes = live_of(&pools),
                               .map_bytes = live_of(&maps),
                               .region_bytes = live_of(&regions)};
}

bool session_wants_look(const struct session *session, uint64_t now_ns)
{
    const struct watcher *watcher = session->books->watcher;
    if (!watcher || !session->books->heap)
        return false;
    return session_time(session, now_ns) >= session->books->watched_ns ||
           (session->books->is_watched && watcher->has_news(session->books->watch));
}

static void look(struct session *session, uint64_t now, bool is_last)
{
    const struct watcher *watcher = session->books->watcher;
    struct watch_view view = make_view(session, now);
    view.is_last = is_last;
    if (!session->books->is_watched)
        session->books->watch = watcher->begin(watcher->self, &view);
    session->books->is_watched = true;
    watcher->look(session->books->watch, &view);
}

void session_look(struct session *session, uint64_t now_ns)
{
    struct memory_status memory;
    uint64_t const now = session_time(session, now_ns);
    session->books->watched_ns = now + LOOK_NS;
    if (!session->books->is_watched)
        session->books->watched_memory = memory_status_parse((struct slice){"", 0});
    if (session->proved_pid && memory_status_read(session->proved_pid, &memory) == 0 &&
        memory.rss_bytes >= 0)
        session->books->watched_memory = memory;
    look(session, now, false);
}

void session_end_watch(struct session *session, bool in_order)
{
    if (!session->books->watcher || !session->books->is_watched)
        return;
    if (in_order && session->books->heap)
        look(session, session->begin_ns, true);
    session->books->watcher->end(session->books->watch);
    session->books->is_watched = false;
}

int watch_view_cells(const struct watch_view *view, struct pin *pin)
{
    *pin = (struct pin){.kind = PIN_MARK, .time_ns = view->time_ns};
    int const err = session_picture(view->session, pin);
    if (err) {
        free(pin->cells);
        free(pin->thread_cells);
    }
    return err;
}

static size_t count_marks(const struct recording *recording)
{
    size_t count = 0;
    vec_each (pin, &recording->pins)
        count += pin->kind == PIN_MARK;
    return count;
}

int watch_view_pin(const struct watch_view *view, const char *label)
{
    struct session *session = view->session;
    struct recording *recording = session->recording;
    struct pin pin;
    int err = session_told_mark(session, MARK_INSTANT, slice_of(label), view->time_ns);
    if (err || count_marks(recording) >= WATCH_PINS_MAX)
        return err;
    err = watch_view_cells(view, &pin);
    if (err)
        return err;
    pin.label = recording_intern(recording, label);
    pin.time_ns = session->begin_ns; /* where the mark is */
    return vec_push(&recording->pins, pin) ? 0 : -ENOMEM;
}
