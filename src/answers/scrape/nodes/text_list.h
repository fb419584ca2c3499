/* text_list.h - lists of texts that own their copies. */
#pragma once

#include <stdbool.h>

#include "base/json_out.h"
#include "scrape/nodes/node.h"

/* Returns false when out of memory, and the list is unchanged. */
bool text_list_add(text_list *list, const char *text);
/* after a failure, some are added */
bool text_list_add_all(text_list *list, const text_list *more);
void text_list_fini(text_list *list);
/* Writes the list as an array under a key; nothing if the list is empty. */
void text_list_write(struct json_out *json, const char *key, const text_list *list);
