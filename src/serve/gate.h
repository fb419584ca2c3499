/* gate.h - whether a request may come in: who asks, under which name, with which token, for what.
 *
 * Pure: from the words of the request to a verdict. */
#pragma once

#include "serve/server.h"

struct visitor {
    const char *method, *path;                                      /* never NULL */
    const char *host, *authorization, *origin, *accept, *forwarded; /* headers, or NULL */
    bool is_local; /* the connection comes from this machine */
};

struct verdict {
    unsigned status;      /* 0: come in */
    const char *sentence; /* why not */
    bool preflight;       /* it only asks whether it may ask, and may */
    bool shares;          /* the answer may be read by the page of the origin that we allow */
};

struct verdict gate_judge(const struct server_options *options, const struct visitor *visitor);

/* Whether the client is on this machine, and speaks for nobody elsewhere. */
bool gate_is_here(const struct visitor *visitor);

/* Whether it may see addresses of the watched program. */
bool gate_shows_addresses(const struct server_options *options, const struct visitor *visitor);
