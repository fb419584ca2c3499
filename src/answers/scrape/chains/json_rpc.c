/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/chains/json_rpc.h"

#include <errno.h>
#include <stdio.h>

static int refuse(long status, struct fault *fault)
{
    if (status == 401 || status == 403)
        return fault_set(fault, -EACCES,
                         "the node refuses the request (HTTP %ld): give its key with --header or "
                         "--token-file",
                         status);
    if (status == 429 || status == 503)
        return fault_set(fault, -EAGAIN, "the node is busy (HTTP %ld)", status);
    return fault_set(fault, -EPROTO, "the node answers HTTP %ld: is that address its JSON-RPC?",
                     status);
}

/* What it complains about, in its own words as far as they are plain. */
static int read_error(struct json_in *json, struct fault *fault)
{
    char key[16], message[128] = "no reason";
    for (json_in_object(json); json_in_key(json, key, sizeof(key));)
        if (strcmp(key, "message") == 0)
            json_in_text(json, message, sizeof(message));
        else
            json_in_skip(json);
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    return fault_set(fault, -ENODATA, "the node says: %s", message);
}

bool json_rpc_is_null(const struct json_in *json)
{
    struct slice text = json->text;
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\n'))
        text = (struct slice){text.data + 1, text.size - 1};
    return text.size >= 4 && memcmp(text.data, "null", 4) == 0;
}

int json_rpc_result(long status, struct slice body, struct json_in *result, struct fault *fault)
{
    struct json_in json = {.text = body};
    bool has_result = false;
    char key[16];
    if (status < 200 || status > 299)
        return refuse(status, fault);
    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));) {
        struct json_in const here = json;
        json_in_skip(&json);
        if (strcmp(key, "error") == 0 && !json.failed && !json_rpc_is_null(&here)) {
            struct json_in error = here;
            return read_error(&error, fault);
        }
        if (strcmp(key, "result") == 0) {
            has_result = true;
            *result = here;
        }
    }
    if (json.failed || !has_result)
        return fault_set(fault, -EPROTO, "the answer is no JSON-RPC: is that address the node's?");
    return 0;
}
