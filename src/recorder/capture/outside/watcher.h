/* watcher.h - somebody who looks at every recorded process once a second, and when it says that
 * there is news, beside its recording: for alerts, for a history.
 *
 * The recorder calls, between two rounds of reading rings, so a look must not wait for anything. */
#pragma once

#include "model/recording.h"
#include "procfs/memory/memory_status.h"

struct session;

/* A process as it is now.  Borrowed: nothing of it may be kept. */
struct watch_view {
    struct session *session;
    struct recording *recording; /* names that have been found so far */
    const char *path;            /* of its file */
    uint32_t pid;                /* 0 when the number is not known */
    uint64_t time_ns, unix_ns;   /* of the recording, and by the wall clock */
    bool is_last;                /* it has ended; `memory` is that of the look before */
    struct memory_status memory; /* by the kernel; -1 where not known */
    /* of its resident shared memory, at most: what it shares with the recorder */
    int64_t own_bytes;
    int64_t heap_bytes, heap_blocks, pool_bytes, map_bytes, region_bytes; /* live */
};

/* All functions may be called with the `void *` that `begin` returned, also NULL. */
struct watcher {
    void *self;
    void *(*begin)(void *self, const struct watch_view *view); /* the first look follows */
    void (*look)(void *process, const struct watch_view *view);
    bool (*has_news)(void *process); /* asked many times a second: a look is due before its time */
    void (*end)(void *process);
};

/* What is live now, by stack and thread, as a pin holds it.  0 with the cells the caller's to
 * free, or -ENOMEM. */
int watch_view_cells(const struct watch_view *view, struct pin *pin);

/* Names this instant in the recording and keeps the whole picture of it; the picture only when
 * there are not WATCH_PINS_MAX yet.  0 or -ENOMEM. */
#define WATCH_PINS_MAX 16
int watch_view_pin(const struct watch_view *view, const char *label);
