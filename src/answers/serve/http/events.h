/* events.h - tells those who listen at /api/events what happens to all that is served.
 *
 * Looks at the targets only while somebody listens, once for all of them.  To be called by the thread that has the targets,
 * but for what says otherwise. */
#pragma once

#include "serve/http/exchange.h"
#include "serve/targets/target_list.h"

struct events;

struct events *events_create(struct target_list *targets); /* NULL when out of memory */
/* After the last stream was closed.  NULL is allowed. */
void events_destroy(struct events *events);

/* A stream of them, beginning with how it is now, or behind the event that was heard last.  A state of NULL: too many listen. */
struct answer_stream events_listen(struct events *events, uint64_t last_event);
/* Looks once; the monotonic time when to look again, 0 when nobody listens any more. */
uint64_t events_look(struct events *events);

bool events_are_heard(struct events *events); /* any thread */
void events_end(struct events *events);       /* any thread: ends all streams */
