/* node_list_text.h - the nodes of a list for people and programs, as `memoir watch --list` shows
 * them.  Secrets are told only by that they are there. */
#pragma once

#include <stdio.h>

#include "scrape/nodes/node_list.h"

enum node_list_form { NODE_LIST_TABLE, NODE_LIST_JSON, NODE_LIST_CSV };

/* `captures` (enum node_capture) is what nodes are asked for that do not say it themselves.  The
 * table ends with the doubts; the others have nodes only. Processes are looked up now.  Returns 0
 * or -errno. */
int node_list_write(const struct node_list *list, uint32_t captures, enum node_list_form form,
                    FILE *out);
