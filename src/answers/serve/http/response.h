/* response.h - an answer as a response of the HTTP library. */
#pragma once

#include "serve/http/exchange.h"

struct MHD_Connection;
struct MHD_Response;

/* Makes a response with all headers.  Pages of the origin `share_with` may read the answer; NULL:
 * only our own page may.  The response then owns the body or the stream of the answer.  Returns
 * NULL when out of memory: the answer keeps its body or stream. */
struct MHD_Response *response_make(struct answer *answer, struct MHD_Connection *connection,
                                   const char *share_with);

/* Returns whether the client has closed its side of the connection. */
bool connection_has_left(struct MHD_Connection *connection);
