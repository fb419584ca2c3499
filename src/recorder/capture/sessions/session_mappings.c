/* SPDX-License-Identifier: Apache-2.0 */
/* session_mappings.c - puts the address space, as of a look at the pages, into the recording.
 *
 * A list takes some kilobytes, so not every look's list is written: one each time the recorded time
 * has doubled, and the last one at the end. */
#include <stdlib.h>
#include <string.h>

#include "capture/sessions/session_parts.h"

#define NAME_MOST 255u

void session_keep_mappings(struct session *session, struct page_look_result *result)
{
    struct kept_mappings *kept = &session->books->pages.mappings;
    size_t const bytes = result->text_bytes - (size_t)(result->mapping_names - result->text);
    char *names = malloc(bytes + 1);
    if (!names)
        return; /* the earlier list stays */
    memcpy(names, result->mapping_names, bytes);
    names[bytes] = '\0';
    free(kept->names);
    vec_free(&kept->list.items);
    *kept = (struct kept_mappings){result->mappings, names, session->books->pages.began_ns};
    result->mappings = (struct look_mappings){.items = {0}};
}

static string_id intern_name(struct recording *recording, const char *name)
{
    char text[NAME_MOST + 1] = "";
    strncat(text, name, NAME_MOST);
    return recording_intern(recording, text);
}

static struct mapping mapping_of(struct session *session, const struct look_mapping *found,
                                 const char *name)
{
    struct mapping mapping = {.start = found->start,
                              .end = found->end,
                              .resident = found->resident,
                              .name = intern_name(session->recording, name),
                              .count = found->count,
                              .rights = found->rights,
                              .owner = found->owner};
    if (found->site != OWNER_NOBODY &&
        found->site < stack_import_site_count(session->books->stacks))
        mapping.stack = stack_import_describe(session->books->stacks, found->site)->stack;
    return mapping;
}

void session_tell_mappings(struct session *session, bool is_last)
{
    const struct kept_mappings *kept = &session->books->pages.mappings;
    struct mapping_list *told = &session->recording->mappings;
    if (!kept->names || kept->time_ns == told->time_ns ||
        (!is_last && kept->time_ns < 2 * told->time_ns))
        return;
    const char *name = kept->names;
    told->items.count = 0;
    vec_each (found, &kept->list.items) {
        if (!vec_push(&told->items, mapping_of(session, found, name)))
            break;
        name += strlen(name) + 1;
    }
    told->time_ns = kept->time_ns ? kept->time_ns : 1;
}

void session_mappings_fini(struct session *session)
{
    vec_free(&session->books->pages.mappings.list.items);
    free(session->books->pages.mappings.names);
    session->books->pages.mappings.names = NULL;
}
