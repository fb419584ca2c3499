/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/event_hub.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define SILENCE_NS UINT64_C(15000000000)
#define BEAT       ": still here\n\n"

struct event {
    char *text; /* as it is sent */
    size_t size;
};

struct listener {
    struct listener *next, *previous;
    struct event_hub *hub;
    struct stream_line line;
    char *hello; /* owned; sent first */
    size_t hello_size;
    uint64_t event;     /* the number of the one to be sent next */
    size_t sent;        /* of `hello` while there is one, else of that event */
    uint64_t spoken_ns; /* when it was last sent something */
    bool is_paused, wants_beat, has_left;
};

struct event_hub {
    pthread_mutex_t lock;
    struct event events[EVENTS_KEPT]; /* by number */
    uint64_t first, next; /* numbers of the oldest that is kept, and of the one to come */
    struct listener ring; /* its `next` is the first */
    size_t listeners;
    bool is_ending;
};

struct event_hub *event_hub_create(void)
{
    struct event_hub *hub = calloc(1, sizeof(*hub));
    if (!hub)
        return NULL;
    pthread_mutex_init(&hub->lock, NULL);
    hub->first = hub->next = unix_ns() / 1000; /* no number means two things when we begin again */
    hub->ring.next = hub->ring.previous = &hub->ring;
    return hub;
}

void event_hub_destroy(struct event_hub *hub)
{
    if (!hub)
        return;
    for (size_t i = 0; i < EVENTS_KEPT; i++)
        free(hub->events[i].text);
    pthread_mutex_destroy(&hub->lock);
    free(hub);
}

static void wake(struct listener *listener)
{
    if (!listener->is_paused)
        return;
    listener->is_paused = false;
    listener->line.resume(listener->line.connection);
}

static void wake_all(struct event_hub *hub)
{
    for (struct listener *one = hub->ring.next; one != &hub->ring; one = one->next)
        wake(one);
}

/* Whoever waits for one of those that are dropped finds it gone, and ends. */
static void drop_oldest(struct event_hub *hub)
{
    struct event *oldest = &hub->events[hub->first++ % EVENTS_KEPT];
    free(oldest->text);
    *oldest = (struct event){0};
}

void event_hub_tell(struct event_hub *hub, const char *event, const char *data, size_t size)
{
    char *text = NULL;
    pthread_mutex_lock(&hub->lock);
    int const length = asprintf(&text, "id: %" PRIu64 "\nevent: %s\ndata: %.*s\n\n", hub->next,
                                event, (int)size, data);
    if (hub->next - hub->first == EVENTS_KEPT)
        drop_oldest(hub);
    if (length >= 0) {
        hub->events[hub->next % EVENTS_KEPT] = (struct event){text, (size_t)length};
        hub->next++;
    } else { /* a gap for everybody */
        while (hub->first < hub->next)
            drop_oldest(hub);
        hub->first = ++hub->next;
    }
    wake_all(hub);
    pthread_mutex_unlock(&hub->lock);
}

static size_t copy_piece(struct listener *listener, struct event from, char *into, size_t room)
{
    size_t const left = from.size - listener->sent;
    size_t const size = left < room ? left : room;
    memcpy(into, from.text + listener->sent, size);
    listener->sent += size;
    return size;
}

/* As much as there is of hello and events. */
static size_t copy_news(struct listener *listener, char *into, size_t room)
{
    const struct event_hub *hub = listener->hub;
    size_t filled = 0;
    if (listener->hello) {
        struct event const hello = {listener->hello, listener->hello_size};
        filled = copy_piece(listener, hello, into, room);
        if (listener->sent < hello.size)
            return filled;
        free(listener->hello);
        listener->hello = NULL;
        listener->sent = 0;
    }
    while (filled < room && listener->event >= hub->first && listener->event < hub->next) {
        struct event const event = hub->events[listener->event % EVENTS_KEPT];
        filled += copy_piece(listener, event, into + filled, room - filled);
        if (listener->sent < event.size)
            break;
        listener->event++;
        listener->sent = 0;
    }
    return filled;
}

static size_t copy_beat(struct listener *listener, char *into, size_t room)
{
    if (!listener->wants_beat || room < sizeof(BEAT) - 1)
        return 0;
    memcpy(into, BEAT, sizeof(BEAT) - 1);
    return sizeof(BEAT) - 1;
}

static size_t fill(void *state, char *into, size_t room)
{
    struct listener *listener = state;
    struct event_hub *hub = listener->hub;
    size_t filled = 0;
    pthread_mutex_lock(&hub->lock);
    bool const is_over =
        hub->is_ending || listener->has_left || (!listener->hello && listener->event < hub->first);
    if (!is_over) {
        filled = copy_news(listener, into, room);
        if (!filled)
            filled = copy_beat(listener, into, room);
        listener->wants_beat = false;
        if (filled) {
            listener->spoken_ns = monotonic_ns();
        } else {
            listener->is_paused = true;
            listener->line.pause(listener->line.connection);
            filled = STREAM_PAUSED;
        }
    }
    pthread_mutex_unlock(&hub->lock);
    return filled;
}

static void attach(void *state, struct stream_line line)
{
    struct listener *listener = state;
    listener->line = line;
}

static void leave(void *state)
{
    struct listener *listener = state;
    struct event_hub *hub = listener->hub;
    pthread_mutex_lock(&hub->lock);
    listener->previous->next = listener->next;
    listener->next->previous = listener->previous;
    hub->listeners--;
    pthread_mutex_unlock(&hub->lock);
    free(listener->hello);
    free(listener);
}

struct answer_stream event_hub_listen(struct event_hub *hub, uint64_t after, char *hello,
                                      size_t hello_size)
{
    struct listener *listener = calloc(1, sizeof(*listener));
    pthread_mutex_lock(&hub->lock);
    bool const fits = listener && hub->listeners < LISTENERS_MOST && !hub->is_ending;
    if (fits) {
        bool const goes_on = after + 1 >= hub->first && after < hub->next;
        *listener = (struct listener){.next = &hub->ring,
                                      .previous = hub->ring.previous,
                                      .hub = hub,
                                      .hello = goes_on ? NULL : hello,
                                      .hello_size = hello_size,
                                      .event = goes_on ? after + 1 : hub->next,
                                      .spoken_ns = monotonic_ns()};
        listener->previous->next = hub->ring.previous = listener;
        hub->listeners++;
        if (goes_on)
            free(hello);
    }
    pthread_mutex_unlock(&hub->lock);
    if (fits)
        return (struct answer_stream){.state = listener,
                                      .fill = fill,
                                      .close = leave,
                                      .attach = attach,
                                      .held_bytes = sizeof(*listener) + hello_size};
    free(listener);
    return (struct answer_stream){0};
}

bool event_hub_is_heard(struct event_hub *hub)
{
    pthread_mutex_lock(&hub->lock);
    bool const is_heard = hub->listeners > 0;
    pthread_mutex_unlock(&hub->lock);
    return is_heard;
}

void event_hub_tend(struct event_hub *hub, uint64_t now_ns)
{
    pthread_mutex_lock(&hub->lock);
    for (struct listener *one = hub->ring.next; one != &hub->ring; one = one->next) {
        if (!one->is_paused)
            continue;
        one->has_left = one->line.has_left(one->line.connection);
        one->wants_beat = now_ns > one->spoken_ns && now_ns - one->spoken_ns > SILENCE_NS;
        if (one->has_left || one->wants_beat)
            wake(one);
    }
    pthread_mutex_unlock(&hub->lock);
}

void event_hub_end(struct event_hub *hub)
{
    if (!hub)
        return;
    pthread_mutex_lock(&hub->lock);
    hub->is_ending = true;
    wake_all(hub);
    pthread_mutex_unlock(&hub->lock);
}
