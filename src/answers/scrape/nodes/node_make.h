/* node_make.h - makes nodes and adds them to a list. */
#pragma once

#include "scrape/nodes/node_list.h"

/* Returns an empty node; NULL when out of memory. */
struct node *node_create(void);
void node_destroy(struct node *node); /* NULL is allowed */

/* Sets a text of a node to a copy; NULL sets none.  Returns false when out of memory. */
bool node_set(char **member, const char *text);

/* Sets the address of the node and the addresses that its class derives from that, unless the node
 * has complete addresses already.  `text` is as in node_address.h.  Sets the nick if there is none.
 * Returns 0 or -errno with a sentence. */
int node_set_address(struct node *node, const char *text, uint16_t port, struct fault *fault);
/* Adds a header "Name: value"; replaces an earlier one with this name.  Returns 0; or -errno with a
 * sentence, which does not contain the value. */
int node_add_header(struct node *node, const char *header, struct fault *fault);
/* Sets the tokens and headers of the options, if the node has none of its own.  Returns 0 or -errno
 * with a sentence. */
int node_apply_options(struct node *node, const struct node_list_options *options,
                       struct fault *fault);

/* Adds the node to the list, which owns it from then on, also after a failure.  The nick is made
 * fit for file names; nick and name are made unique, with a doubt.  A node that is in the list
 * already, with this address, is left out with a doubt.  Returns 0 or -errno. */
int node_list_take(struct node_list *list, struct node *node, struct fault *fault);
/* Adds a doubt, which is a sentence.  Returns 0 or -ENOMEM. */
int node_list_doubt(struct node_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns 1 if the extended regular expression matches at the start of `text`, 0 if not; -EINVAL
 * with a sentence if the expression is invalid. */
int node_re_matches(const char *expression, const char *text, struct fault *fault);
