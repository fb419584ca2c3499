/* side_parts.h - inside `analyze`: the tree of several metrics. */
#pragma once

#include "analyze/side_by_side.h"

/* Adds the tree of one metric to the common one.  0 or -ENOMEM. */
struct side_builder {
    struct side_by_side *sides;
    uint32_t *slots; /* open addressing: node index, 0 when free; never more than half taken */
    size_t mask;
};
int side_tree_add(struct side_builder *builder, const struct call_tree *tree, unsigned metric);
/* Links children to parents, heaviest first.  0 or -ENOMEM. */
int side_tree_link(struct side_by_side *sides, const struct recording *recording);
void side_builder_fini(struct side_builder *builder);

/* Larger first, by the sort metric and then by the others; 0 when all are equal. */
int side_compare(const struct side_question *question, const struct side_value *a,
                 const struct side_value *b, bool by_self);
