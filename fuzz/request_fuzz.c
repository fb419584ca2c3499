/* SPDX-License-Identifier: Apache-2.0 */
/* request_fuzz.c - any text as the words of a request, and as an address to listen on. */
#include <stdlib.h>
#include <string.h>

#include "serve/http/gate.h"
#include "serve/http/request_text.h"
#include "serve/routes/routes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const char *text)
{
    struct server_options options = {.address = {.is_loopback = true},
                                     .token = "0123456789abcdef",
                                     .allow_origin = "https://a.example",
                                     .hosts = {"a.example"},
                                     .host_count = 1};
    struct visitor const visitor = {.method = text,
                                    .path = text,
                                    .host = text,
                                    .authorization = text,
                                    .origin = text,
                                    .fetch_site = text,
                                    .fetch_mode = text,
                                    .fetch_dest = text,
                                    .accept = text};
    struct gate_verdict const verdict = gate_judge(&options, &visitor);
    if (verdict.status == 0) /* no text is a method, a host and a token at once */
        abort();
    options.token = NULL;
    (void)gate_judge(&options, &visitor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice const bytes = {(const char *)data, size};
    struct slice found;
    struct listen_address address;
    uint64_t number = 0;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    if (host_parse(bytes, &found) && (found.data < bytes.data || found.size > size))
        abort();
    if (host_is_loopback(bytes) && size > 64)
        abort();
    if (bearer_parse(bytes, &found))
        (void)token_equals(found, slice_of("0123456789abcdef"));
    if (accepts_openmetrics(bytes) && !accepts_type(bytes, "application/openmetrics-text"))
        abort();
    if (number_parse(text, 1, 100, &number) == 0 && (number < 1 || number > 100))
        abort();
    (void)listen_address_parse(text, &address, NULL);
    if (route_find(text) && text[0] != '/')
        abort();
    (void)path_speaks_json(text);
    judge(text);
    free(text);
    return 0;
}
