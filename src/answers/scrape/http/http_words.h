/* http_words.h - addresses and errors of requests as text without secrets. */
#pragma once

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"

#define HTTP_SHOWN_MAX 200
#define HTTP_WHY_MAX   480

/* The address of a request. */
struct http_address {
    char *url;    /* for libcurl */
    char *socket; /* path of a Unix socket; NULL: none */
    char shown
        /* for people: without user, password, query and fragment, and without a token in the
         * path */
        [HTTP_SHOWN_MAX];
};
/* Returns 0; -EINVAL or -ENOMEM with a sentence.  Call http_address_fini also after a failure. */
int http_address_init(struct http_address *address, const char *url, struct fault *fault);
void http_address_fini(struct http_address *address);

/* Returns the -errno for a code of libcurl; `os_error` is the errno of the system, 0: none. */
int http_error_of(CURLcode code, long os_error);

struct http_failure {
    const struct http_address *address;
    const struct curl_slist *headers; /* their values must not be shown */
    int error;
    long status;
    CURLcode code;
    uint64_t timeout_ms;
    size_t bytes_max;
    struct slice body; /* for a bad status: the answer of the server */
};
/* Writes a sentence about the failure; "" if there is nothing to say.  Returns `out`. */
const char *http_why(const struct http_failure *failure, char out[HTTP_WHY_MAX]);
