/* response.h - an answer as the HTTP library sends it. */
#pragma once

#include "serve/http/exchange.h"

struct MHD_Connection;
struct MHD_Response;

/* With all its headers; pages of the origin `share_with` may read it, NULL: of none but ours.  The response has the body or the
 * stream of the answer from then on.  NULL when out of memory: the answer keeps it. */
struct MHD_Response *response_make(struct answer *answer, struct MHD_Connection *connection,
                                   const char *share_with);

/* Nobody waits for the answer any more. */
bool connection_has_left(struct MHD_Connection *connection);
