/* sentry_parts.h - inside the sentry: the state of the sentry and of each watched process, shared
 * by the files that evaluate, report and keep. */
#pragma once

#include "analyze/alerts/alert.h"
#include "analyze/growth/growth_watch.h"
#include "analyze/sums/live_pictures.h"
#include "cli/alerts/alert_broker.h"
#include "cli/alerts/history_writer.h"
#include "cli/alerts/sentry.h"
#include "cli/alerts/sentry_pressure.h"

struct sentry {
    const struct sentry_options *options;
    struct watcher watcher;
    struct alert_bounds bounds;
    char folder[PATH_MAX];          /* of all recordings but the first */
    struct alert_broker *alerts;    /* NULL: there are no rules */
    struct history_writer *history; /* NULL: none */
    uint32_t fired;
};

/* Which stacks belong to the site of a rule. */
struct site_codes {
    uint32_t *codes; /* by stack, or NULL */
    uint32_t stacks;
    size_t locations; /* number of locations that had names when `codes` was made */
    uint64_t next_ns; /* codes are not made again before this time */
    bool is_too_much; /* matching took too long; reported, and given up */
};

struct process_watch {
    struct sentry *sentry;
    struct alert alerts[SENTRY_ALERTS_MAX];
    struct growth_watch *growth[LEVEL_COUNT]; /* by level; NULL if no rule asks about its growth */
    struct live_pictures pictures; /* live sites at earlier times, for rules about growth */
    bool has_growth;
    struct site_codes sites[SENTRY_ALERTS_MAX];
    struct pressure_watch *pressure[SENTRY_ALERTS_MAX]; /* NULL for rules about anything else */
    uint64_t begin_ms, next_snapshot_ns;                /* of the process's history */
    bool has_snapshot;
};

/* Returns the memory levels that a view shows. */
struct memory_levels view_levels(const struct watch_view *view);
/* Returns these levels without memory that the process shares with the recorder.  *own is the size
 * of that memory. */
struct memory_levels view_own_levels(const struct watch_view *view, int64_t *own);
/* Returns the memory limit of the process, or the size of the machine's memory. */
int64_t view_limit(const struct watch_view *view);

/* Returns what the rule compares now. */
struct alert_reading sentry_read(struct process_watch *process, unsigned index,
                                 const struct watch_view *view);
void process_watch_fini(struct process_watch *process);

/* Adds a snapshot to the history if one is due. */
void sentry_keep(struct process_watch *process, const struct watch_view *view);

/* Reports that a rule fired: on stderr, in the recording, and to programs and servers. */
void sentry_tell(struct process_watch *process, unsigned index, const struct alert_reading *reading,
                 const struct watch_view *view);
