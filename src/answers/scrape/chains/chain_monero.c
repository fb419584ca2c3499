/* SPDX-License-Identifier: Apache-2.0 */
/* chain_monero.c - monerod's JSON-RPC. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "scrape/chains/chain_forms.h"
#include "scrape/chains/json_rpc.h"

static void ask_height(struct chain_ask *ask)
{
    snprintf(ask->body, sizeof(ask->body),
             "{\"jsonrpc\":\"2.0\",\"id\":\"0\",\"method\":\"get_info\"}");
}

static void ask_headers(struct chain_ask *ask, uint64_t first, uint64_t count, bool is_plain)
{
    (void)is_plain;
    snprintf(ask->body, sizeof(ask->body),
             "{\"jsonrpc\":\"2.0\",\"id\":\"0\",\"method\":\"get_block_headers_range\","
             "\"params\":{\"start_height\":%" PRIu64 ",\"end_height\":%" PRIu64 "}}",
             first, first + count - 1);
}

static int check_state(const char *state, struct fault *fault)
{
    if (strcmp(state, "BUSY") == 0)
        return fault_set(fault, -EAGAIN, "the node is busy catching up");
    return 0;
}

static int read_height(long status, struct slice body, struct chain_height *height,
                       struct fault *fault)
{
    struct json_in json;
    char key[32], state[16] = "";
    uint64_t blocks = 0;
    *height = (struct chain_height){0};
    int const err = json_rpc_result(status, body, &json, fault);
    if (err)
        return err;
    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));)
        if (strcmp(key, "height") == 0)
            json_in_uint(&json, &blocks);
        else if (strcmp(key, "tx_count") == 0)
            height->has_total = json_in_uint(&json, &height->transactions_total);
        else if (strcmp(key, "status") == 0)
            json_in_text(&json, state, sizeof(state));
        else
            json_in_skip(&json);
    if (json.failed)
        return fault_set(fault, -EPROTO, "get_info answers what monerod does not");
    if (check_state(state, fault) < 0)
        return -EAGAIN;
    if (blocks == 0)
        return fault_set(fault, -EPROTO, "get_info has no height");
    height->height = blocks - 1; /* it counts blocks, from block 0 */
    return 0;
}

static const struct chain_extra extras[] = {{"block_size", "size"},
                                            {"block_weight", "weight"},
                                            {"difficulty", "difficulty"},
                                            {"reward", "reward"},
                                            {"major_version", "major_version"},
                                            {"minor_version", "minor_version"},
                                            {NULL, NULL}};

static void parse_extra(struct json_in *json, const char *key, struct chain_block *block)
{
    for (size_t i = 0; extras[i].json; i++)
        if (strcmp(key, extras[i].json) == 0) {
            block->has_extra[i] = json_in_uint(json, &block->extra[i]);
            return;
        }
    json_in_skip(json);
}

static void parse_header(struct json_in *json, struct chain_block *block)
{
    struct block_header *header = &block->header;
    uint64_t number;
    char key[32];
    for (json_in_object(json); json_in_key(json, key, sizeof(key));)
        if (strcmp(key, "height") == 0) {
            block->has_height = json_in_uint(json, &header->height);
        } else if (strcmp(key, "timestamp") == 0) {
            if (json_in_uint(json, &number) && number < INT64_MAX)
                header->time_s = (int64_t)number;
        } else if (strcmp(key, "num_txes") == 0) {
            header->has_count = json_in_uint(json, &header->transactions);
        } else if (strcmp(key, "hash") == 0) {
            json_in_text(json, header->hash, sizeof(header->hash));
        } else if (strcmp(key, "prev_hash") == 0) {
            json_in_text(json, header->parent, sizeof(header->parent));
        } else {
            parse_extra(json, key, block);
        }
}

static int read_list(struct json_in *json, struct chain_headers *headers, struct fault *fault)
{
    for (json_in_array(json); json_in_item(json);) {
        struct chain_block block = {0};
        parse_header(json, &block);
        if (json->failed || !block.has_height)
            return fault_set(fault, -EPROTO, "a block header of monerod has no height");
        if (chain_headers_add_block(headers, &block, extras) < 0)
            return fault_set(fault, -ENOMEM, "out of memory");
    }
    return 0;
}

static int read_headers(long status, struct slice body, struct chain_headers *headers,
                        struct fault *fault)
{
    struct json_in json;
    char key[32], state[16] = "";
    int err = json_rpc_result(status, body, &json, fault);
    if (err)
        return err;
    for (json_in_object(&json); !err && json_in_key(&json, key, sizeof(key));)
        if (strcmp(key, "headers") == 0)
            err = read_list(&json, headers, fault);
        else if (strcmp(key, "status") == 0)
            json_in_text(&json, state, sizeof(state));
        else
            json_in_skip(&json);
    if (!err && json.failed)
        return fault_set(fault, -EPROTO, "the block headers are not those of monerod");
    return err ? err : check_state(state, fault);
}

const struct chain_form chain_monero = {.posts = true,
                                        .batch = 200,
                                        .requests_max = 1,
                                        .ask_height = ask_height,
                                        .ask_headers = ask_headers,
                                        .read_height = read_height,
                                        .read_headers = read_headers};
