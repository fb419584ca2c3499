/* SPDX-License-Identifier: Apache-2.0 */
/* route_events.c - tells clients when something that is served changes, by Server-Sent Events. */
#include "base/clock.h"
#include "serve/http/events.h"
#include "serve/routes/routes.h"

#define PATIENCE_NS UINT64_C(2000000000)
#define AGAIN_NS    UINT64_C(50000000)

/* When there is no room, some may have left just now: it takes the network a moment to let go of
 * them. */
void route_events(struct target *target, struct request *request, struct answer *answer)
{
    (void)target;
    struct answer_stream const stream = events_listen(request->events, request->last_event);
    if (stream.state)
        answer_stream(answer, stream, TYPE_EVENTS);
    else if (monotonic_ns() - request->began_ns < PATIENCE_NS)
        answer_later(answer, AGAIN_NS);
    else
        answer_error(answer, request, 503,
                     "Too many clients listen to events already: ask again "
                     "later.");
}
