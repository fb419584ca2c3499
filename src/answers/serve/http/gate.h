/* gate.h - whether a request is let in, by its user, Host, origin, token and method.
 *
 * A browser sends requests to 127.0.0.1 for any page: an image, a script or a form is enough.  Such
 * a page cannot read the answer, but the server would have done the work.  Browsers say which page
 * asks (Sec-Fetch-Site, and sometimes Origin), and pages cannot change these headers.  So requests
 * of pages of other sites are refused before any route sees them, except a followed link to our
 * page.  Programs send neither header and are let in.
 *
 * Pure functions of the request's text. */
#pragma once

#include "serve/http/server.h"
#include "serve/http/socket_owner.h"

struct visitor {
    const char *method, *path;                                      /* never NULL */
    const char *host, *authorization, *origin, *accept, *forwarded; /* headers, or NULL */
    const char *fetch_site, *fetch_mode, *fetch_dest;               /* Sec-Fetch-..., or NULL */
    struct socket_owner owner; /* who is at the other end of the connection */
};

struct gate_verdict {
    unsigned status;      /* HTTP status; 0: the request is let in. */
    const char *sentence; /* Reason of a refusal. */
    bool preflight;       /* The request is a CORS preflight, and is allowed. */
    bool shares;          /* Pages of the allowed origin may read the answer. */
};

struct gate_verdict gate_judge(const struct server_options *options, const struct visitor *visitor);

/* Returns whether the client is on this machine, and does not forward for another machine. */
bool gate_is_here(const struct visitor *visitor);

/* Returns whether the client may see addresses of the watched program. */
bool gate_shows_addresses(const struct server_options *options, const struct visitor *visitor);
