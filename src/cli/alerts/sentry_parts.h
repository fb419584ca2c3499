/* sentry_parts.h - inside the sentry: one process of it, shared by the files that evaluate, tell
 * and keep. */
#pragma once

#include "analyze/alerts/alert.h"
#include "analyze/growth/growth_watch.h"
#include "analyze/sums/live_pictures.h"
#include "cli/alerts/alert_actions.h"
#include "cli/alerts/sentry.h"
#include "cli/alerts/sentry_pressure.h"
#include "store/history/history_queue.h"

struct sentry {
    const struct sentry_options *options;
    struct watcher watcher;
    struct alert_actions *actions;
    struct history_queue *history; /* NULL: none */
    bool told_history;
    uint32_t fired;
};

/* Which stacks a rule with a site is about. */
struct site_codes {
    uint32_t *codes; /* by stack, or NULL */
    uint32_t stacks;
    size_t locations; /* what was named when they were made */
    uint64_t next_ns; /* not again before */
    bool is_too_much; /* for the expression: it was told, and is over */
};

struct process_watch {
    struct sentry *sentry;
    struct alert alerts[SENTRY_ALERTS_MAX];
    struct growth_watch *growth[LEVEL_COUNT]; /* of levels that a rule asks the growth of */
    struct live_pictures pictures; /* when a rule asks for growth: the call sites at that time */
    bool has_growth;
    struct site_codes sites[SENTRY_ALERTS_MAX];
    struct pressure_watch *pressure[SENTRY_ALERTS_MAX]; /* of rules about pressure */
    uint64_t begin_ms, next_snapshot_ns;                /* of its history */
    bool has_snapshot;
};

/* The levels of a view. */
struct memory_levels view_levels(const struct watch_view *view);
/* Those levels without memory that is shared with the recorder; *own is how much that is. */
struct memory_levels view_own_levels(const struct watch_view *view, int64_t *own);
/* The limit of its memory: its own, or the machine's. */
int64_t view_limit(const struct watch_view *view);

/* What the rule compares now. */
struct alert_reading sentry_read(struct process_watch *process, unsigned index,
                                 const struct watch_view *view);
void process_watch_fini(struct process_watch *process);

/* Adds to the history when it is time; tells what went wrong with it, once. */
void sentry_keep(struct process_watch *process, const struct watch_view *view);

/* Says that a rule fired: on stderr, in the recording, to programs and servers. */
void sentry_tell(struct process_watch *process, unsigned index, const struct alert_reading *reading,
                 const struct watch_view *view);
