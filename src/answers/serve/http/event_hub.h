/* event_hub.h - events as they happen, for many who listen: Server-Sent Events without a thread per listener.
 *
 * The last events are kept once, for all.  A listener is a stream (exchange.h) with its place in them; one that has heard
 * all is paused until there is more, one that is so far behind that its next event is gone is ended: it will come
 * back, and begin with how things are.  Bounded: EVENTS_KEPT events, LISTENERS_MOST streams.
 *
 * Any thread; `fill` of a stream runs in the network's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/http/exchange.h"

#define EVENTS_KEPT    256
#define LISTENERS_MOST 256

struct event_hub;

struct event_hub *event_hub_create(void); /* NULL when out of memory */
/* After the last stream was closed.  NULL is allowed. */
void event_hub_destroy(struct event_hub *hub);

/* Tells all.  `data` is one line, and copied; an event that there is no memory for ends all streams. */
void event_hub_tell(struct event_hub *hub, const char *event, const char *data, size_t size);

/* A new listener: all events behind number `after` if they are still there, else `hello` first, which is text as it is sent and is the
 * stream's from here on.  Its state is NULL when there are too many, or no memory: then `hello` stays yours. */
struct answer_stream event_hub_listen(struct event_hub *hub, uint64_t after, char *hello,
                                      size_t hello_size);

bool event_hub_is_heard(struct event_hub *hub); /* by anybody */
/* Call it now and then: says a word to those who have heard nothing for long, and lets go of those who left. */
void event_hub_tend(struct event_hub *hub, uint64_t now_ns);
/* Ends all streams: none is paused from here on. */
void event_hub_end(struct event_hub *hub);
