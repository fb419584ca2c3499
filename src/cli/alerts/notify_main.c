/* SPDX-License-Identifier: Apache-2.0 */
/* notify_main.c - the program memoir-notify: posts the JSON text on its standard input to the
 * server whose address is in MEMOIR_ALERT_WEBHOOK.  The address is not an argument, because such
 * addresses are often secret and ps shows arguments to everybody.  It is a program of its own
 * because libcurl brings a large security library, and because a server that does not answer must
 * not stop the recorder. */
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal.h"

#define BODY_MAX   65536
#define TRIES      3
#define CONNECT_MS 3000l
#define WHOLE_MS   7000l

/* The answer is of no interest. */
static size_t ignore(char *data, size_t size, size_t count, void *context)
{
    (void)data, (void)context;
    return size * count;
}

/* Whether another try may help: the server was not there, or had trouble itself. */
static bool is_passing(CURLcode code, long status)
{
    return (code != CURLE_OK && code != CURLE_URL_MALFORMAT && code != CURLE_UNSUPPORTED_PROTOCOL &&
            code != CURLE_COULDNT_RESOLVE_HOST) ||
           status >= 500 || status == 429;
}

static CURL *make_request(const char *url, const char *body, size_t size,
                          struct curl_slist *headers)
{
    CURL *curl = curl_easy_init();
    if (!curl)
        return NULL;
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, WHOLE_MS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1l);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "memoir/" MEMOIR_VERSION);
    return curl;
}

/* The server's name and port alone: what else there is in an address may be a secret. */
static const char *server_of(const char *url, int *length)
{
    const char *name = strstr(url, "://");
    name = name ? name + 3 : url;
    size_t const size = strcspn(name, "/?#");
    const char *user = memrchr(name, '@', size);
    const char *host = user ? user + 1 : name;
    *length = (int)(name + size - host);
    return host;
}

static int post(const char *url, const char *body, size_t size)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    CURL *curl = make_request(url, body, size, headers);
    CURLcode code = CURLE_FAILED_INIT;
    long status = 0;
    for (unsigned attempt = 0; curl && attempt < TRIES; attempt++) {
        if (attempt > 0)
            sleep(attempt);
        code = curl_easy_perform(curl);
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        if (!is_passing(code, status))
            break;
    }
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    if (code == CURLE_OK && status >= 200 && status < 300)
        return 0;
    int length;
    const char *server = server_of(url, &length);
    if (code == CURLE_OK)
        fprintf(stderr, "memoir: %.*s answered %ld to an alert\n", length, server, status);
    else
        fprintf(stderr, "memoir: cannot post an alert to %.*s: %s\n", length, server,
                curl_easy_strerror(code));
    return 1;
}

int main(int argc, char **argv)
{
    (void)argv;
    static char body[BODY_MAX];
    terminal_guard();
    const char *url = getenv("MEMOIR_ALERT_WEBHOOK");
    if (argc != 1 || !url) {
        fprintf(stderr, "memoir-notify: a part of memoir; use --alert-webhook\n");
        return 2;
    }
    size_t const size = fread(body, 1, sizeof(body), stdin);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int const status = post(url, body, size);
    curl_global_cleanup();
    return status;
}
