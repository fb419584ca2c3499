/* node_make.h - nodes put together and added to a list. */
#pragma once

#include "scrape/nodes/node_list.h"

/* All empty; NULL when out of memory. */
struct node *node_create(void);
void node_destroy(struct node *node); /* NULL is allowed */

/* Sets a text of a node to a copy; whether there was memory.  NULL sets none. */
bool node_set(char **member, const char *text);

/* Gives the node its address and what its class has there, unless it has whole addresses already.
 * `text` as node_address.h has it. Sets the nick if there is none.  Returns 0 or -errno with a
 * sentence. */
int node_set_address(struct node *node, const char *text, uint16_t port, struct fault *fault);
/* One more header, "Name: value"; an earlier one of that name is replaced.  Returns 0 or -errno
 * with a sentence that does not hold the value. */
int node_add_header(struct node *node, const char *header, struct fault *fault);
/* What the options have for nodes that do not say it themselves: tokens and headers. */
int node_apply_options(struct node *node, const struct node_list_options *options,
                       struct fault *fault);

/* Takes the node, also when it fails.  Its nick becomes fit for file names, nick and name become
 * unique (and a doubt says so); one that is there already, at that address, is left out with a
 * doubt.  Returns 0 or -errno. */
int node_list_take(struct node_list *list, struct node *node, struct fault *fault);
/* A doubt, as a sentence.  Returns 0 or -ENOMEM. */
int node_list_doubt(struct node_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the extended regular expression matches at the start of `text`: 1, 0, or -EINVAL with
 * a sentence when it is none. */
int node_re_matches(const char *expression, const char *text, struct fault *fault);
