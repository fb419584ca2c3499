/* SPDX-License-Identifier: Apache-2.0 */
/* chain_algod.c - algod's REST interface: JSON for its state, MessagePack for blocks. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/json_in.h"
#include "scrape/chains/chain_forms.h"

/* The node holds a request for the next block up to 60 s. */
#define WAIT_MS 75000

static void ask_height(struct chain_ask *ask)
{
    snprintf(ask->path, sizeof(ask->path), "/v2/status");
}

static void ask_wait(struct chain_ask *ask, uint64_t height)
{
    snprintf(ask->path, sizeof(ask->path), "/v2/status/wait-for-block-after/%" PRIu64, height);
    ask->timeout_ms = WAIT_MS;
}

static void ask_headers(struct chain_ask *ask, uint64_t first, uint64_t count, bool is_plain)
{
    (void)count;
    snprintf(ask->path, sizeof(ask->path), "/v2/blocks/%" PRIu64 "?format=msgpack%s", first,
             is_plain ? "" : "&header-only=true");
}

static int refuse(long status, struct fault *fault)
{
    switch (status) {
    case 401:
    case 403:
        return fault_set(fault, -EACCES,
                         "the node refuses the token (HTTP %ld): give the right token with "
                         "--token-file, or give the data folder of the node",
                         status);
    case 404:
        return fault_set(fault, -ENODATA, "the node has no such block");
    case 429:
    case 503:
        return fault_set(fault, -EAGAIN, "the node is busy catching up (HTTP %ld)", status);
    default:
        return fault_set(fault, -EPROTO, "the node answers HTTP %ld", status);
    }
}

static int read_height(long status, struct slice body, struct chain_height *height,
                       struct fault *fault)
{
    struct json_in json = {.text = body};
    char key[32];
    bool has_height = false;
    *height = (struct chain_height){0};
    if (status == 400)
        return fault_set(fault, -EPROTO,
                         "the node stopped at a round it does not support (HTTP 400): it needs a "
                         "newer version");
    if (status != 200)
        return refuse(status, fault);
    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));)
        if (strcmp(key, "last-round") == 0)
            has_height = json_in_uint(&json, &height->height);
        else
            json_in_skip(&json);
    if (json.failed || !has_height)
        return fault_set(fault, -EPROTO, "the node's status is not JSON with a last-round");
    return 0;
}

/* Copies a map without one key. */
static void copy_without(struct slice map, const char *left_out, struct msgpack_out *out)
{
    struct msgpack_in in = {.text = map}, pairs;
    struct msgpack_value head;
    struct slice pair;
    char key[16];
    uint32_t kept = 0;
    if (!msgpack_next(&in, &head))
        return;
    pairs = in;
    for (uint64_t i = 0; i < head.count && msgpack_key(&pairs, key, sizeof(key)); i++)
        kept += msgpack_skip(&pairs, NULL) && strcmp(key, left_out) != 0;
    msgpack_put_map(out, kept);
    for (uint64_t i = 0; i < head.count; i++) {
        const char *begin = in.text.data;
        if (!msgpack_key(&in, key, sizeof(key)) || !msgpack_skip(&in, NULL))
            return;
        pair = (struct slice){begin, (size_t)(in.text.data - begin)};
        if (strcmp(key, left_out) != 0)
            msgpack_put_raw(out, pair);
    }
}

/* The map under `block`, or the whole if it has none. */
static struct slice find_block(struct slice body)
{
    struct msgpack_in in = {.text = body};
    struct msgpack_value head;
    struct slice block;
    char key[16];
    if (!msgpack_next(&in, &head) || head.type != MSGPACK_MAP)
        return body;
    for (uint64_t i = 0; i < head.count && msgpack_key(&in, key, sizeof(key)); i++)
        if (msgpack_skip(&in, &block) && strcmp(key, "block") == 0)
            return block;
    return body;
}

static int read_headers(long status, struct slice body, struct chain_headers *headers,
                        struct fault *fault)
{
    struct block_header header;
    struct msgpack_out fields = {0};
    if (status != 200)
        return refuse(status, fault);
    int err = block_header_parse(find_block(body), &header, fault);
    if (!err) {
        copy_without(header.fields, "txns", &fields);
        err = fields.failed
                  ? -ENOMEM
                  : chain_headers_add(headers, &header, (struct slice){fields.data, fields.size});
        if (err)
            fault_set(fault, err, "out of memory");
    }
    msgpack_fini(&fields);
    return err;
}

const struct chain_form chain_algod = {.waits = true,
                                       .has_plain = true,
                                       .batch = 1,
                                       .requests_max = 4,
                                       .ask_height = ask_height,
                                       .ask_wait = ask_wait,
                                       .ask_headers = ask_headers,
                                       .read_height = read_height,
                                       .read_headers = read_headers};
