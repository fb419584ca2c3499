/* tree_text.h - a tree of pages as JSON, written while it is sent.
 *
 * A tree is made by the thread that works and never changes; it has copies of all names, so that
 * the recording may go on meanwhile.  Whoever holds it may be any thread.  Memory: about 50
 * bytes per node (150 in our own form) and each name once; the text itself is never whole in
 * memory. */
#pragma once

#include "analyze/memory/page_tree.h"
#include "serve/http/exchange.h"

#define TREE_NODES_MOST 1000000

enum tree_form {
    TREE_COMPATIBLE, /* as page profilers before us: KiB, value and cacheValue; docs/api.md */
    TREE_OURS,       /* bytes, own sums, every kind of page */
};

struct tree_wish {
    enum tree_form form;
    bool outermost_first;
    uint64_t threshold; /* in the form's unit */
};

struct tree_text;

/* NULL with -ENOMEM, -EFBIG or -ERANGE in *err, see page_tree_build.  The caller releases it. */
struct tree_text *tree_text_make(const struct recording *recording, const struct running *running,
                                 const struct tree_wish *wish, int *err);
/* Returns whether it is still what tree_text_make would give. */
bool tree_text_is_of(const struct tree_text *text, const struct recording *recording,
                     const struct running *running, const struct tree_wish *wish);
struct tree_text *tree_text_hold(struct tree_text *text); /* one more holds it; any thread */
void tree_text_release(struct tree_text *text);           /* NULL is allowed; any thread */

/* Returns the JSON of it; holds it by itself.  `state` is NULL when out of memory. */
struct answer_stream tree_text_stream(struct tree_text *text);
