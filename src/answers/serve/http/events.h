/* events.h - tells the listeners of /api/events what happens to all targets.
 *
 * The targets are polled only while there is a listener, once for all listeners.  Only the thread
 * that works with the targets may call these functions, unless a comment says otherwise. */
#pragma once

#include "serve/http/exchange.h"
#include "serve/targets/target_list.h"

struct events;

struct events *events_create(struct target_list *targets); /* NULL when out of memory */
/* Call it after the last stream was closed.  NULL is allowed. */
void events_destroy(struct events *events);

/* Makes a stream of events.  The stream continues after event `last_event` if that is still
 * possible; otherwise it starts with the current state.  The state of the stream is NULL when there
 * are too many listeners, or when out of memory. */
struct answer_stream events_listen(struct events *events, uint64_t last_event);
/* Polls the targets once.  Returns the monotonic time of the next poll; 0 when nobody listens. */
uint64_t events_look(struct events *events);

bool events_are_heard(struct events *events); /* whether anybody listens; any thread */
void events_end(struct events *events);       /* ends all streams; any thread; NULL is allowed */
