/* event_hub.h - Server-Sent Events for many listeners, without a thread per listener.
 *
 * The last EVENTS_KEPT events are kept once, for all listeners.  A listener is a stream
 * (exchange.h) with its own position among the events.  A listener that has received all events is
 * paused until there is a new one.  A listener that is so far behind that its next event was
 * dropped is ended: the client reconnects, and starts with the current state.
 * At most LISTENERS_MOST streams.
 *
 * Any thread may call these functions; `fill` of a stream runs in the network thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/http/exchange.h"

#define EVENTS_KEPT    256
#define LISTENERS_MOST 256

struct event_hub;

struct event_hub *event_hub_create(void); /* NULL when out of memory */
/* Call it after the last stream was closed.  NULL is allowed. */
void event_hub_destroy(struct event_hub *hub);

/* Sends an event to all listeners.  `data` is one line, and is copied.  If there is no memory for
 * the event, all streams end. */
void event_hub_tell(struct event_hub *hub, const char *event, const char *data, size_t size);

/* Adds a listener.  If the events after number `after` are still kept, the stream starts with them;
 * otherwise with `hello`, which is sent as it is.  The stream owns `hello` from then on.
 * The state of the stream is NULL when there are too many listeners, when the hub is ending, or
 * when out of memory: then the caller keeps `hello`. */
struct answer_stream event_hub_listen(struct event_hub *hub, uint64_t after, char *hello,
                                      size_t hello_size);

bool event_hub_is_heard(struct event_hub *hub); /* whether there is any listener */
/* Call it now and then: sends a comment line to listeners that were sent nothing for long, and ends
 * the streams of clients that disconnected. */
void event_hub_tend(struct event_hub *hub, uint64_t now_ns);
/* Ends all streams; no stream is paused from then on. */
void event_hub_end(struct event_hub *hub);
