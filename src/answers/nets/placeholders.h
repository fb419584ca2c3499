/* placeholders.h - {port.client} and its like, replaced. */
#pragma once

#include "nets/template.h"

struct scope {
    const struct net *net;
    const struct net_template *plan;
    const struct net_part *part;        /* the part that the text belongs to, or NULL */
    const struct template_group *group; /* its group */
    unsigned depth;                     /* lists inside lists */
};

const struct template_group *group_of(const struct net_template *plan, const struct net_part *part);

/* `text` with every placeholder replaced; NULL gives NULL.  Returns 0 or -errno with a sentence;
 * *out is the caller's to free. */
int placeholders_fill(const struct scope *scope, const char *text, char **out, struct fault *fault);
/* The words of a command: one that is a list without join becomes as many words as the list has. */
int placeholders_fill_words(const struct scope *scope, const text_list *words, text_list *out,
                            struct fault *fault);
