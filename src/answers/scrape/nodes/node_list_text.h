/* node_list_text.h - writes the nodes of a list, as `memoir watch --list` shows them.  For secrets,
 * only their existence is shown. */
#pragma once

#include <stdio.h>

#include "scrape/nodes/node_list.h"

enum node_list_form { NODE_LIST_TABLE, NODE_LIST_JSON, NODE_LIST_CSV };

/* `captures` (enum node_capture) is for nodes that have no captures of their own.  The table ends
 * with the doubts; the other forms have only nodes.  Searches for the processes now.  Returns 0 or
 * -errno. */
int node_list_write(const struct node_list *list, uint32_t captures, enum node_list_form form,
                    FILE *out);
