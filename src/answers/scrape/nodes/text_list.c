/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/nodes/text_list.h"

#include <stdlib.h>
#include <string.h>

bool text_list_add(text_list *list, const char *text)
{
    char *copy = strdup(text);
    if (copy && vec_push(list, copy))
        return true;
    free(copy);
    return false;
}

bool text_list_add_all(text_list *list, const text_list *more)
{
    vec_each (text, more)
        if (!text_list_add(list, *text))
            return false;
    return true;
}

void text_list_fini(text_list *list)
{
    vec_each (text, list)
        free(*text);
    vec_free(list);
}

void text_list_write(struct json_out *json, const char *key, const text_list *list)
{
    if (list->count == 0)
        return;
    json_key(json, key);
    json_array_begin_inline(json);
    vec_each (text, list)
        json_text(json, *text);
    json_array_end(json);
}
