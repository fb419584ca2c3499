/* side_parts.h - inside `analyze`: the tree of several metrics. */
#pragma once

#include "analyze/diff/side_by_side.h"
#include "base/pair_index.h"

/* Adds the tree of one metric to the common one.  0 or -ENOMEM. */
struct side_builder {
    struct side_by_side *sides;
    struct pair_index index; /* of a parent and a kind: the number of the node */
};
int side_tree_add(struct side_builder *builder, const struct call_tree *tree, unsigned metric);
/* Links children to parents, heaviest first.  0 or -ENOMEM. */
int side_tree_link(struct side_by_side *sides, const struct recording *recording);
void side_builder_fini(struct side_builder *builder);

/* Larger first, by the sort metric and then by the others; 0 when all are equal. */
int side_compare(const struct side_question *question, const struct side_value *a,
                 const struct side_value *b, bool by_self);
