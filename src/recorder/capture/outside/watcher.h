/* watcher.h - the interface of a watcher, which looks at every recorded process once a second, and
 * when it says that there is news: for alerts, for a history.
 *
 * The recorder calls the functions between two rounds of reading rings, so they must not wait for
 * anything. */
#pragma once

#include "model/recording.h"
#include "procfs/memory/memory_status.h"

struct session;

/* A process as it is now.  All of it is borrowed: nothing may be kept. */
struct watch_view {
    struct session *session;
    struct recording *recording; /* Has the names that were found so far. */
    const char *path;            /* Of its file. */
    uint32_t pid;                /* 0: unknown. */
    uint64_t time_ns, unix_ns;   /* Time of the recording; wall-clock time. */
    bool is_last;                /* The process has ended; `memory` is that of the look before. */
    struct memory_status memory; /* As the kernel says; -1 where unknown. */
    /* The part of its resident shared memory, at most, that it shares with the recorder. */
    int64_t own_bytes;
    int64_t heap_bytes, heap_blocks, pool_bytes, map_bytes, region_bytes; /* Live. */
};

/* `process` is what `begin` returned, which may be NULL. */
struct watcher {
    void *self;
    void *(*begin)(void *self, const struct watch_view *view); /* The first look follows. */
    void (*look)(void *process, const struct watch_view *view);
    bool (*has_news)(void *process); /* Called many times a second.  True: a look is due now. */
    void (*end)(void *process);
};

/* Adds what is live now, by stack and thread.  Returns 0 with the cells the caller's to free, or
 * -ENOMEM. */
int watch_view_cells(const struct watch_view *view, struct pin *pin);

/* Sets a mark in the recording at this instant and adds a pin; if there are WATCH_PINS_MAX already,
 * only the mark.  Returns 0 or -ENOMEM. */
#define WATCH_PINS_MAX 16
int watch_view_pin(const struct watch_view *view, const char *label);
