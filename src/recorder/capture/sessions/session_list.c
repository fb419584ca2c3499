/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/session_list.h"

#include <assert.h>
#include <errno.h>

void session_list_fini(struct session_list *list)
{
    vec_free(&list->open);
    vec_free(&list->unnamed);
}

struct session *session_list_open(struct session_list *list, const struct session_options *own,
                                  uint64_t begin_ns, struct fault *fault)
{
    struct session_options options = *own;
    options.max_bytes = list->wish->max_bytes;
    options.say = list->wish->say;
    options.source = list->source;
    options.symbols = list->symbols;
    options.disk = list->disk;
    options.pss = list->pss;
    options.cells = list->cells;
    struct session *session = session_open(&options, begin_ns, fault);
    if (!session)
        return NULL;
    if (vec_reserve(&list->unnamed, list->open.count + 1) && vec_push(&list->open, session))
        return session;
    session_abandon(session);
    fault_set(fault, -ENOMEM, "out of memory at the start of a recording");
    return NULL;
}

static void write_due(struct session_list *list, struct session *session, uint64_t now_ns)
{
    struct fault fault = {0};
    if (list->feed->begin_write)
        list->feed->begin_write(list->feeder, session);
    if (session_tick(session, now_ns, &fault) < 0)
        say_text(list->wish->say, "%s; the recording goes on in memory", fault.text);
    if (list->feed->end_write)
        list->feed->end_write(list->feeder);
}

void session_list_tick(struct session_list *list, uint64_t now_ns)
{
    vec_each (session, &list->open) {
        if (list->feed->is_still && list->feed->is_still(list->feeder, *session))
            continue;
        if (session_is_due(*session, now_ns))
            write_due(list, *session, now_ns);
        session_ask_names(*session);
    }
}

void session_list_note(struct session_list *list, const char *text)
{
    say_text(list->wish->say, "%s", text);
    vec_each (session, &list->open)
        session_note(*session, text);
}

static void remove_open(struct session_list *list, const struct session *session)
{
    vec_each (open, &list->open)
        if (*open == session) {
            *open = list->open.items[--list->open.count];
            return;
        }
}

void session_list_end(struct session_list *list, struct session *session,
                      const struct session_end *end)
{
    struct fault fault = {0};
    remove_open(list, session);
    if (session_end(session, end, &fault) < 0)
        say_text(list->wish->say, "%s", fault.text);
    assert(list->unnamed.count < list->unnamed.room);
    list->unnamed.items[list->unnamed.count++] = session;
}

void session_list_close(struct session_list *list, bool wait)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->unnamed.count; i++) {
        struct session *session = list->unnamed.items[i];
        if (session_name(session, wait))
            list->feed->close(list->feeder, session);
        else
            list->unnamed.items[kept++] = session;
    }
    list->unnamed.count = kept;
}

void session_list_abandon(struct session_list *list, struct session *session)
{
    remove_open(list, session);
    session_abandon(session);
}
