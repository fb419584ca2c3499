/* text_list.h - lists of texts that own their copies. */
#pragma once

#include <stdbool.h>

#include "base/json_out.h"
#include "scrape/nodes/node.h"

/* Returns false when out of memory: the list is as it was. */
bool text_list_add(text_list *list, const char *text);
bool text_list_add_all(text_list *list, const text_list *more); /* some of them may be in */
void text_list_fini(text_list *list);
/* An array under a key; nothing of an empty list. */
void text_list_write(struct json_out *json, const char *key, const text_list *list);
