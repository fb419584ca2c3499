/* http_words.h - addresses and failures of requests in words that hold no secret. */
#pragma once

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"

#define HTTP_SHOWN_MAX 200
#define HTTP_WHY_MAX   480

/* Where a request goes. */
struct http_address {
    char *url;    /* for libcurl */
    char *socket; /* path of a Unix socket; NULL: none */
    char shown
        /* for people: without user, password, query, fragment, nor a token in the path */
        [HTTP_SHOWN_MAX];
};
/* Returns 0, -EINVAL or -ENOMEM with a sentence.  The caller calls fini also after a failure. */
int http_address_init(struct http_address *address, const char *url, struct fault *fault);
void http_address_fini(struct http_address *address);

/* What libcurl's code means as -errno; `os_error` is what the system said, 0: nothing. */
int http_error_of(CURLcode code, long os_error);

struct http_failure {
    const struct http_address *address;
    const struct curl_slist *headers; /* whose values must not be told */
    int error;
    long status;
    CURLcode code;
    uint64_t timeout_ms;
    size_t bytes_max;
    struct slice body; /* a bad status: what the server said */
};
/* Writes a sentence about the failure; "" if there is nothing to say.  Returns `out`. */
const char *http_why(const struct http_failure *failure, char out[HTTP_WHY_MAX]);
