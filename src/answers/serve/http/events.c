/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/events.h"

#include <stdlib.h>

#include "base/clock.h"
#include "serve/http/event_hub.h"
#include "serve/targets/target_news.h"

#define LOOK_NS UINT64_C(250000000)
#define HELLO   "retry: 2000\n\n" /* ms after which a browser comes back when the line breaks */

struct events {
    struct target_list *targets;
    struct event_hub *hub;
    struct target_news *news;
};

struct events *events_create(struct target_list *targets)
{
    struct events *events = calloc(1, sizeof(*events));
    if (!events)
        return NULL;
    events->targets = targets;
    events->hub = event_hub_create();
    events->news = target_news_create();
    if (events->hub && events->news)
        return events;
    events_destroy(events);
    return NULL;
}

void events_destroy(struct events *events)
{
    if (!events)
        return;
    event_hub_destroy(events->hub);
    target_news_destroy(events->news);
    free(events);
}

static void tell_all(void *hub, const char *event, const char *data, size_t size)
{
    event_hub_tell(hub, event, data, size);
}

static void tell_newcomer(void *file, const char *event, const char *data, size_t size)
{
    fprintf(file, "event: %s\ndata: %.*s\n\n", event, (int)size, data);
}

struct answer_stream events_listen(struct events *events, uint64_t last_event)
{
    char *hello = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&hello, &size);
    if (!out)
        return (struct answer_stream){0};
    event_hub_tend(events->hub, monotonic_ns());
    target_news_look(events->news, events->targets, tell_all, events->hub);
    fputs(HELLO, out);
    target_news_repeat(events->news, events->targets, tell_newcomer, out);
    struct answer_stream stream = {0};
    if (fclose(out) == 0)
        stream = event_hub_listen(events->hub, last_event, hello, size);
    if (!stream.state)
        free(hello);
    return stream;
}

uint64_t events_look(struct events *events)
{
    target_list_tend(events->targets);
    target_news_look(events->news, events->targets, tell_all, events->hub);
    event_hub_tend(events->hub, monotonic_ns());
    return event_hub_is_heard(events->hub) ? monotonic_ns() + LOOK_NS : 0;
}

bool events_are_heard(struct events *events)
{
    return event_hub_is_heard(events->hub);
}

void events_end(struct events *events)
{
    if (events)
        event_hub_end(events->hub);
}
