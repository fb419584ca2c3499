/* tree_parts.h - inside tree_text: what it is made of. */
#pragma once

#include <stdatomic.h>

#include "serve/content/tree_text.h"

#define NODE_TEXT_MOST                                                                             \
    1024 /* of what stands before and after the children of a node, but for its name */

struct name_span {
    size_t begin, size;
};

struct tree_text {
    atomic_uint holders;
    struct tree_wish wish;
    const void *recording; /* only to know it again: never followed */
    uint64_t time_ns;
    size_t locations;
    struct page_tree tree;       /* without its frames */
    VEC(struct name_span) names; /* by frame: what stands first in a node of it, in `pool` */
    char *pool;                  /* owned, and so is the head */
    size_t pool_size;
    char *head; /* before the root and after it */
    size_t head_size;
    const char *tail;
    size_t held_bytes;
};
