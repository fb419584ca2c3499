/* history_command.h - inside memoir-history: the question of the command line, and the trends that
 * answer it. */
#pragma once

#include <stdio.h>

#include "analyze/growth/growth.h"
#include "base/pattern/pattern.h"
#include "report/text/text_style.h"
#include "store/history/history.h"

struct history_question {
    const char *path, *process, *category; /* NULL: all */
    const struct pattern *site;
    const char *site_text;
    uint64_t since_ms, now_ms;
    uint64_t top;        /* sites shown */
    int64_t limit_bytes; /* 0: as recorded */
    bool with_points;    /* in JSON */
};

/* One series; its growth is judged over the newest run of the program. */
struct history_trend {
    const struct history_series *series;
    int64_t now, low, high; /* low and high are of all points that were read */
    struct growth growth;
    /* the series ended before the run did: the site is not among the largest any more */
    bool is_gone;
};
struct history_trends {
    VEC(struct history_trend)
    rows; /* totals, categories, then sites; steepest growth first, then largest */
    int64_t limit_bytes;
};

/* Makes the trends of the series that the question selects.  Returns 0 or -ENOMEM. */
int history_trends_make(const struct history_question *question,
                        const struct history_service *service, struct history_trends *trends);
void history_trends_fini(struct history_trends *trends);
/* Returns whether the question selects the series. */
bool history_is_asked(const struct history_question *question, const struct history_series *series);

/* Write the answer to `out`.  Return 0 or -ENOMEM; write errors stay in `out`. */
int history_table_write(const struct history_question *question,
                        const struct history_content *content, const struct text_style *style,
                        FILE *out);
int history_json_write(const struct history_question *question,
                       const struct history_content *content, FILE *out);
void history_csv_write(const struct history_question *question,
                       const struct history_content *content, FILE *out);
/* Draws the trends of one service and writes the picture to `path`.  Returns 0 or -errno with
 * `fault`. */
int history_picture_write(const struct history_question *question,
                          const struct history_service *service, const char *path,
                          struct fault *fault);
