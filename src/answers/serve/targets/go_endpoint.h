/* go_endpoint.h - the program's own net/http/pprof: where it is, and what may be asked of it.
 *
 * Only the names that Go has and numbers go into the URL, never words of whoever asks. */
#pragma once

#include "serve/http/exchange.h"

#define GO_URL_MOST 512

struct go_request {
    char url[GO_URL_MOST + 128];
    char patience[24]; /* seconds until it must have answered */
    uint64_t seconds;  /* that it takes to answer */
    bool is_text;
};

/* Whether `url` can be such an endpoint: http or https, a host, no user and no query.  Its folder
 * goes to `base`: with /debug/pprof at the end, which may be left out.  Returns 0 or -EINVAL with a
 * sentence. */
int go_endpoint_parse(const char *url, char base[GO_URL_MOST], struct fault *fault);

/* What to ask of `base` for profile `name`, with those parameters of the request that Go knows.
 * Returns 0 or -EINVAL with a sentence. */
int go_request_make(const char *base, const char *name, const struct request *request,
                    struct go_request *wanted, struct fault *fault);
