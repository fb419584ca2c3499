/* history_lines.h - a snapshot of the history as text, which `memoir` sends to memoir-history,
 * because `memoir` does not link SQLite.
 *
 *     service redis-server        and lines for host, program, source
 *     pid 4242                    and lines for begin_ms, time_ms, limit_bytes
 *     value 1 1048576 rss         kind, number, name; at most HISTORY_LINES_VALUES of them */
#pragma once

#include "store/history/history.h"

#define HISTORY_LINES_COMMAND "add-snapshot" /* memoir-history add-snapshot DB <lines */
#define HISTORY_LINES_VALUES  256
#define HISTORY_LINES_MAX     (128 * 1024)

struct history_lines {
    struct history_snapshot snapshot;
    struct history_value values[HISTORY_LINES_VALUES];
};

/* Parses `text`, which ends with a NUL.  Changes `text`; the snapshot points into it.  Returns 0 or
 * -EINVAL with a sentence. */
int history_lines_parse(char *text, struct history_lines *lines, struct fault *fault);
