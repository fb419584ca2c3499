/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/go_endpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "serve/http/request_text.h"

#define FOLDER       "/debug/pprof"
#define SECONDS_MOST 3600
#define MORE_SECONDS 30 /* than it was asked to take */

/* Characters of a URL that cannot end it or mean something else. */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text >= 0x7f || strchr("?#@\"<>\\^`{|}", *text))
            return false;
    return true;
}

int go_endpoint_parse(const char *url, char base[GO_URL_MOST], struct fault *fault)
{
    size_t size = strlen(url);
    const char *host = strncmp(url, "http://", 7) == 0    ? url + 7
                       : strncmp(url, "https://", 8) == 0 ? url + 8
                                                          : "/";
    if (host[0] == '/' || !host[0] || !is_plain(url) || size + sizeof(FOLDER) >= GO_URL_MOST)
        return fault_set(fault, -EINVAL,
                         "--go-pprof cannot be \"%.80s\": give the address of the program's own "
                         "net/http/pprof, such as http://127.0.0.1:6060",
                         url);
    while (url[size - 1] == '/')
        size--;
    bool const has_folder =
        size >= strlen(FOLDER) && strncmp(url + size - strlen(FOLDER), FOLDER, strlen(FOLDER)) == 0;
    snprintf(base, GO_URL_MOST, "%.*s%s", (int)size, url, has_folder ? "" : FOLDER);
    return 0;
}

/* A number of the request, behind what `wanted` has so far. */
static int add_number(struct go_request *wanted, const struct request *request, const char *name,
                      uint64_t most, uint64_t *number)
{
    const char *text = request_parameter(request, name);
    size_t const size = strlen(wanted->url);
    if (!text)
        return 0;
    if (number_parse(text, 0, most, number) < 0)
        return -EINVAL;
    snprintf(wanted->url + size, sizeof(wanted->url) - size, "%c%s=%" PRIu64,
             strchr(wanted->url, '?') ? '&' : '?', name, *number);
    return 0;
}

int go_request_make(const char *base, const char *name, const struct request *request,
                    struct go_request *wanted, struct fault *fault)
{
    uint64_t debug = 0, gc = 0;
    bool const is_timed = strcmp(name, "profile") == 0;
    *wanted = (struct go_request){.seconds = is_timed ? 30 : 0};
    snprintf(wanted->url, sizeof(wanted->url), "%s/%s", base, name);
    if (add_number(wanted, request, "seconds", SECONDS_MOST, &wanted->seconds) < 0)
        return fault_set(fault, -EINVAL, "seconds is a whole number up to %d.", SECONDS_MOST);
    if (add_number(wanted, request, "debug", 2, &debug) < 0 ||
        add_number(wanted, request, "gc", 1, &gc) < 0)
        return fault_set(fault, -EINVAL, "debug is a number from 0 to 2, and gc 0 or 1.");
    wanted->is_text = debug > 0 || strcmp(name, "cmdline") == 0 || strcmp(name, "symbol") == 0;
    snprintf(wanted->patience, sizeof(wanted->patience), "%" PRIu64,
             wanted->seconds + MORE_SECONDS);
    return 0;
}
