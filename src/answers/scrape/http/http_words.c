/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/http/http_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "scrape/http/descriptors.h"

#define SAID_MAX        160
#define SECRET_SHORTEST 4 /* shorter values of headers are words such as "*" and "1" */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* unix:/path/of/socket:/path of the request */
static int split_socket(struct http_address *address, const char *rest, struct fault *fault)
{
    const char *path = strstr(rest, ":/");
    size_t const socket_size = path ? (size_t)(path - rest) : strlen(rest);

    if (rest[0] != '/')
        return fault_set(
            fault, -EINVAL,
            "an address of a socket is unix:/path/of/socket:/path, with two absolute paths");
    address->socket = strndup(rest, socket_size);
    if (!address->socket ||
        asprintf(&address->url, "http://localhost%s", path ? path + 1 : "/") < 0)
        return fault_set(fault, -ENOMEM, "out of memory");
    const char *query = strchr(address->url, '?');
    const char *asked = address->url + strlen("http://localhost");
    snprintf(address->shown, sizeof(address->shown), "unix:%s:%.*s", address->socket,
             query ? (int)(query - asked) : (int)strlen(asked), asked);
    return 0;
}

static void show_url(CURLU *parsed, char *out)
{
    char *shown = NULL, *path = NULL;

    curl_url_set(parsed, CURLUPART_USER, NULL, 0);
    curl_url_set(parsed, CURLUPART_PASSWORD, NULL, 0);
    curl_url_set(parsed, CURLUPART_QUERY, NULL, 0);
    curl_url_set(parsed, CURLUPART_FRAGMENT, NULL, 0);
    if (curl_url_get(parsed, CURLUPART_PATH, &path, 0) == CURLUE_OK && strstr(path, "/urlAuth/"))
        curl_url_set(parsed, CURLUPART_PATH, "/urlAuth/...", 0);
    if (curl_url_get(parsed, CURLUPART_URL, &shown, 0) == CURLUE_OK)
        snprintf(out, HTTP_SHOWN_MAX, "%s", shown);
    else
        snprintf(out, HTTP_SHOWN_MAX, "an address");
    curl_free(path);
    curl_free(shown);
}

int http_address_init(struct http_address *address, const char *url, struct fault *fault)
{
    int err = 0;

    *address = (struct http_address){0};
    if (begins(url, "unix:"))
        return split_socket(address, url + strlen("unix:"), fault);
    if (!begins(url, "http://") && !begins(url, "https://"))
        return fault_set(fault, -EINVAL, "an address must begin with http://, https:// or unix:");
    address->url = strdup(url);
    CURLU *parsed = curl_url();
    if (!address->url || !parsed)
        err = fault_set(fault, -ENOMEM, "out of memory");
    else if (curl_url_set(parsed, CURLUPART_URL, url, 0) != CURLUE_OK)
        err = fault_set(fault, -EINVAL,
                        "the address is invalid; an address looks like http://host:port/path");
    else
        show_url(parsed, address->shown);
    curl_url_cleanup(parsed);
    return err;
}

void http_address_fini(struct http_address *address)
{
    free(address->url);
    free(address->socket);
    *address = (struct http_address){0};
}

int http_error_of(CURLcode code, long os_error)
{
    switch (code) {
    case CURLE_OK:
        return 0;
    case CURLE_OPERATION_TIMEDOUT:
        return -ETIMEDOUT;
    case CURLE_OUT_OF_MEMORY:
        return -ENOMEM;
    case CURLE_COULDNT_RESOLVE_HOST: /* resolvers do not tell why */
        return descriptors_left() ? -EHOSTUNREACH : -EMFILE;
    case CURLE_COULDNT_CONNECT:
        return os_error == 0 || os_error == ENETUNREACH ? -EHOSTUNREACH : -(int)os_error;
    default:
        return -EPROTO;
    }
}

/* Whether `text` has the value of a header, or the last word of it: "Bearer x". */
static bool holds_secret(const char *text, const struct curl_slist *headers)
{
    for (; headers; headers = headers->next) {
        const char *value = strchr(headers->data, ':');
        if (!value)
            continue;
        value += 1 + strspn(value + 1, " \t");
        const char *last = strrchr(value, ' ');
        if ((strlen(value) >= SECRET_SHORTEST && strstr(text, value)) ||
            (last && strlen(last + 1) >= SECRET_SHORTEST && strstr(text, last + 1)))
            return true;
    }
    return false;
}

/* The first line of what the server said, if that is text. */
static const char *said(const struct http_failure *failure, char out[SAID_MAX])
{
    char whole[4 * SAID_MAX];
    size_t size = 0;

    out[0] = '\0';
    while (size < failure->body.size && size + 1 < sizeof(whole)) {
        char const c = failure->body.data[size];
        if ((unsigned char)c < ' ' && c != '\n' && c != '\r' && c != '\t')
            return out;
        whole[size++] = c;
    }
    whole[size] = '\0';
    /* Looked through before it is cut, or half a token would pass; one that asks with a password
     * is not quoted. */
    if (holds_secret(whole, failure->headers) || strchr(failure->address->url, '@'))
        return out;
    whole[strcspn(whole, "\r\n")] = '\0';
    if (whole[0] && !strchr(whole, '<'))
        snprintf(out, SAID_MAX, ": %.150s", whole);
    return out;
}

static const char *advice_of_status(long status)
{
    if (status == 401 || status == 403)
        return "; the token is missing or wrong";
    if (status == 404)
        return "; the node has nothing at that path";
    if (status >= 300 && status < 400)
        return "; memoir does not follow redirections: give the address that this one points to";
    return "";
}

const char *http_why(const struct http_failure *failure, char out[HTTP_WHY_MAX])
{
    const char *shown = failure->address->shown;
    char words[SAID_MAX], size[HUMAN_MAX], time[HUMAN_MAX];

    out[0] = '\0';
    if (failure->error == 0 && failure->status >= 200 && failure->status < 300)
        return out;
    if (failure->error == 0)
        snprintf(out, HTTP_WHY_MAX, "%s answered %ld%s%s", shown, failure->status,
                 said(failure, words), advice_of_status(failure->status));
    else if (failure->error == -ETIMEDOUT)
        snprintf(out, HTTP_WHY_MAX, "%s did not answer within %s", shown,
                 human_duration(failure->timeout_ms * 1000000u, time));
    else if (failure->error == -ECANCELED)
        snprintf(out, HTTP_WHY_MAX, "memoir stopped waiting for %s", shown);
    else if (failure->error == -EMSGSIZE)
        snprintf(out, HTTP_WHY_MAX, "%s answers with more than %s", shown,
                 human_bytes((int64_t)failure->bytes_max, size));
    else if (failure->error == -EMFILE || failure->error == -ENFILE)
        snprintf(out, HTTP_WHY_MAX,
                 "%s was not asked: there was no file descriptor left; %s may have %zu of them "
                 "(ulimit -Hn)",
                 shown, failure->error == -EMFILE ? "memoir" : "the system is full, memoir",
                 descriptors_limit());
    else if (failure->error == -ECONNREFUSED)
        snprintf(out, HTTP_WHY_MAX, "no program listens at %s: does the node run?", shown);
    else if (failure->code == CURLE_OK || failure->code == CURLE_WRITE_ERROR)
        snprintf(out, HTTP_WHY_MAX, "the answer of %s could not be kept: %s", shown,
                 strerror(-failure->error));
    else if (failure->error == -EPROTO)
        snprintf(out, HTTP_WHY_MAX, "%s: %s", shown, curl_easy_strerror(failure->code));
    else
        snprintf(out, HTTP_WHY_MAX, "cannot reach %s: %s", shown,
                 failure->code == CURLE_COULDNT_RESOLVE_HOST ? "no such host"
                                                             : strerror(-failure->error));
    return out;
}
