/* tree_text.h - a tree of pages as JSON that is written while it is sent.
 *
 * The thread that handles requests makes the tree, which never changes afterwards.  The tree has
 * copies of all names, so it does not depend on the recording.  Any thread may hold the tree.  A
 * node takes about 50 bytes (150 in our own form), and each name is stored once; the complete text
 * is never in memory. */
#pragma once

#include "analyze/memory/page_tree.h"
#include "serve/http/exchange.h"

#define TREE_NODES_MOST 1000000

enum tree_form {
    TREE_COMPATIBLE, /* the form of older page profilers: KiB, value and cacheValue; docs/api.md */
    TREE_OURS,       /* bytes, own sums, every kind of page */
};

struct tree_wish {
    enum tree_form form;
    bool outermost_first;
    uint64_t threshold; /* in the unit of the form */
};

struct tree_text;

/* Makes a tree, which the caller releases.  Returns NULL with -ENOMEM, -EFBIG or -ERANGE in *err,
 * see page_tree_build. */
struct tree_text *tree_text_make(const struct recording *recording, const struct running *running,
                                 const struct tree_wish *wish, int *err);
/* Returns whether tree_text_make would make the same tree now. */
bool tree_text_is_of(const struct tree_text *text, const struct recording *recording,
                     const struct running *running, const struct tree_wish *wish);
struct tree_text *tree_text_hold(struct tree_text *text); /* adds a holder; any thread */
void tree_text_release(struct tree_text *text);           /* NULL is allowed; any thread */

/* Makes a stream of the JSON; the stream holds the tree.  Its `state` is NULL when out of
 * memory. */
struct answer_stream tree_text_stream(struct tree_text *text);
