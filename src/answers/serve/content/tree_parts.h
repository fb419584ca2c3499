/* tree_parts.h - inside tree_text: what it is made of. */
#pragma once

#include <stdatomic.h>

#include "serve/content/tree_text.h"

#define NODE_TEXT_MOST                                                                             \
    1024 /* maximum size of the text before and after the children of a node, without its name */

struct name_span {
    size_t begin, size;
};

struct tree_text {
    atomic_uint holders;
    struct tree_wish wish;
    const void *recording; /* only compared, never dereferenced */
    uint64_t time_ns;
    size_t locations;
    struct page_tree tree;       /* without frames */
    VEC(struct name_span) names; /* by frame: the first text of its nodes, as a range of `pool` */
    char *pool;                  /* owned, as is `head` */
    size_t pool_size;
    char *head; /* text before the root; `tail` is the text after the root */
    size_t head_size;
    const char *tail;
    size_t held_bytes;
};
