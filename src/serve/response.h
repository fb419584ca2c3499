/* response.h - an answer as the HTTP library sends it. */
#pragma once

#include "serve/exchange.h"

struct MHD_Response;

/* The response has the body or the stream of the answer from then on.  NULL when out of memory: the answer keeps it. */
struct MHD_Response *response_make(struct answer *answer);
