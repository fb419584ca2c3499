/* top_page.h - renders one screen of `memoir top`: a few lines about the process, then what holds
 * its memory. */
#pragma once

#include "analyze/sites/live_rank.h"
#include "report/text/text_style.h"

struct top_view {
    struct recording *recording;
    const struct running *running;
    struct live_question question;
    const char *filter_text; /* as typed, or NULL */
    uint64_t now_unix_ns;
    /* Set by top_view_prepare: */
    struct live_rank live;
    int64_t heap_bytes, heap_blocks; /* live now */
    int64_t rss_bytes;               /* -1 when not measured */
    struct pace pace;
};

/* Sets the second half of the view, from the first.  Returns what live_rank_build returns.  Call
 * top_view_fini after success. */
int top_view_prepare(struct top_view *view);
void top_view_fini(struct top_view *view);

struct top_line {
    char *text; /* without unsafe characters, and not wider than asked for */
    enum ink ink;
};
struct top_page {
    VEC(struct top_line) lines;
};
#define TOP_HEAD_LINES 5 /* before the rows */

/* Appends the head and at most `rows` rows, beginning with row number `first`.  `width` 0: no
 * limit.  Returns 0 or -ENOMEM. */
int top_page_render(const struct top_view *view, unsigned width, size_t first, size_t rows,
                    struct top_page *page);

/* A process that is not recorded: what the kernel knows about it, and advice. */
struct top_process {
    uint32_t pid;
    const char *name;
    int64_t rss_bytes, anon_bytes, file_bytes, shmem_bytes, swap_bytes, rss_peak_bytes, threads;
    const char *advice;
};
int top_process_render(const struct top_process *process, unsigned width, struct top_page *page);

/* Appends one line, cut, and with unsafe characters replaced.  Returns 0 or -ENOMEM. */
int top_page_add(struct top_page *page, unsigned width, enum ink ink, const char *text);
void top_page_fini(struct top_page *page);

/* Write JSON, with at most `rows` rows.  Return 0 or -EIO. */
int top_json_write(const struct top_view *view, size_t rows, FILE *out);
int top_process_json_write(const struct top_process *process, FILE *out);

extern const char *const top_order_names[LIVE_ORDERS + 1]; /* "value" "growth" "count"; NULL */
const char *top_grouping_name(enum grouping by);           /* "function" ... */
