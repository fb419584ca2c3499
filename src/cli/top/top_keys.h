/* top_keys.h - what the keys of `memoir top` do; needs no terminal. */
#pragma once

#include <stdbool.h>

#include "analyze/sites/live_rank.h"
#include "base/pattern/pattern.h"

#define TOP_FILTER_MAX 128

/* Keys that are not letters, as the screen translates them. */
enum top_key {
    TOP_KEY_NONE = 0,
    TOP_KEY_ENTER = '\n',
    TOP_KEY_ESCAPE = 27,
    TOP_KEY_ERASE = 127,
    TOP_KEY_UP = 1000,
    TOP_KEY_DOWN,
    TOP_KEY_PAGE_UP,
    TOP_KEY_PAGE_DOWN,
    TOP_KEY_HOME,
};

struct top_choice {
    struct live_question question;         /* question.filter is `pattern`, if there is one */
    bool frozen, shows_help, quits, marks; /* `marks`: the caller must set a mark, and clear this */
    size_t first_row;
    bool is_typing; /* the user is typing a filter */
    char typed[TOP_FILTER_MAX];
    char filter[TOP_FILTER_MAX]; /* the filter in use; empty: none */
    struct pattern *pattern;
    char message[256]; /* about the last key, or empty */
};

/* Sets the defaults: heap.live by function, largest first. */
void top_choice_init(struct top_choice *choice);
void top_choice_fini(struct top_choice *choice);

/* Sets the filter; an empty text removes it.  Returns 0; or -EINVAL with a message, and the old
 * filter stays. */
int top_choice_set_filter(struct top_choice *choice, const char *text);

/* Removes a filter whose matching takes too long, and sets a message. */
void top_choice_give_up_filter(struct top_choice *choice);

/* What a key depends on: `page` of the `rows` rows are visible.  `has` returns whether a metric has
 * any numbers; metrics without are skipped.  NULL: all have. */
struct top_surroundings {
    size_t rows, page;
    bool (*has)(const void *with, const struct metric *metric);
    const void *with;
};
void top_choice_press(struct top_choice *choice, int key, const struct top_surroundings *around);
