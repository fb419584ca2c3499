/* gate.h - whether a request may come in: who asks, under which name, from which page, with which token, for what.
 *
 * A browser sends requests to 127.0.0.1 for any page of anybody: a picture, a script, a form is enough, and although that page cannot read the
 * answer, we would have done the work.  Browsers say from where they ask (Sec-Fetch-Site, and Origin where there is one), and pages cannot
 * change that: what another site's page asks for is refused before any route sees it, but for a link that is followed to our page.  Programs
 * send neither and come in.
 *
 * Pure: from the words of the request to a verdict. */
#pragma once

#include "serve/http/server.h"

struct visitor {
    const char *method, *path;                                      /* never NULL */
    const char *host, *authorization, *origin, *accept, *forwarded; /* headers, or NULL */
    const char *fetch_site, *fetch_mode, *fetch_dest;               /* Sec-Fetch-..., or NULL */
    bool is_local; /* the connection comes from this machine */
};

struct gate_verdict {
    unsigned status;      /* 0: come in */
    const char *sentence; /* why not */
    bool preflight;       /* it only asks whether it may ask, and may */
    bool shares;          /* the answer may be read by the page of the origin that we allow */
};

struct gate_verdict gate_judge(const struct server_options *options, const struct visitor *visitor);

/* Whether the client is on this machine, and speaks for nobody elsewhere. */
bool gate_is_here(const struct visitor *visitor);

/* Whether it may see addresses of the watched program. */
bool gate_shows_addresses(const struct server_options *options, const struct visitor *visitor);
