/* go_endpoint.h - the address of a program's own net/http/pprof, and which requests may be sent to
 * it.
 *
 * The URL gets only names that Go defines, and numbers: never text from the client. */
#pragma once

#include "serve/http/exchange.h"

#define GO_URL_MOST 512

struct go_request {
    char url[GO_URL_MOST + 128];
    char patience[24]; /* maximum time for the answer, in seconds, as text */
    uint64_t seconds;  /* seconds that the endpoint needs for the answer */
    bool is_text;
};

/* Checks the URL of an endpoint: http or https, a host, no user and no query.  `base` is the URL up
 * to and including /debug/pprof, which `url` may leave out.  Returns 0 or -EINVAL with a
 * sentence. */
int go_endpoint_parse(const char *url, char base[GO_URL_MOST], struct fault *fault);

/* Makes a request to `base` for profile `name`, with the parameters of the client's request that Go
 * knows.  Returns 0 or -EINVAL with a sentence. */
int go_request_make(const char *base, const char *name, const struct request *request,
                    struct go_request *wanted, struct fault *fault);
