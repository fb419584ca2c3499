/* placeholders.h - replaces placeholders such as {port.client}. */
#pragma once

#include "nets/template.h"

struct scope {
    const struct net *net;
    const struct net_template *plan;
    const struct net_part *part;        /* part that the text belongs to, or NULL */
    const struct template_group *group; /* group of the part */
    unsigned depth;                     /* nesting depth of lists */
};

const struct template_group *group_of(const struct net_template *plan, const struct net_part *part);

/* Copies `text`, with every placeholder replaced; NULL gives NULL.  The caller frees *out.  Returns
 * 0 or -errno with a sentence. */
int placeholders_fill(const struct scope *scope, const char *text, char **out, struct fault *fault);
/* Replaces placeholders in the words of a command.  A list without `join` becomes one word per
 * node. */
int placeholders_fill_words(const struct scope *scope, const text_list *words, text_list *out,
                            struct fault *fault);
