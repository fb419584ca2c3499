/* SPDX-License-Identifier: Apache-2.0 */
/* chain_ethereum.c - the JSON-RPC of Ethereum's execution clients. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "scrape/chains/chain_forms.h"
#include "scrape/chains/json_rpc.h"

static void ask_height(struct chain_ask *ask)
{
    snprintf(ask->body, sizeof(ask->body),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_blockNumber\",\"params\":[]}");
}

static void ask_headers(struct chain_ask *ask, uint64_t first, uint64_t count, bool is_plain)
{
    (void)count, (void)is_plain;
    snprintf(ask->body, sizeof(ask->body),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_getBlockByNumber\","
             "\"params\":[\"0x%" PRIx64 "\",false]}",
             first);
}

/* "0x1b4" */
static bool parse_hex(struct json_in *json, uint64_t *number)
{
    char text[24];
    uint64_t sum = 0;
    if (!json_in_text(json, text, sizeof(text)))
        return false;
    size_t const size = strlen(text);
    if (size < 3 || size > 18 || text[0] != '0' || text[1] != 'x' ||
        strspn(text + 2, "0123456789abcdefABCDEF") != size - 2)
        return false;
    for (const char *c = text + 2; *c; c++)
        sum = sum << 4 | (uint64_t)(*c <= '9' ? *c - '0' : (*c | 0x20) - 'a' + 10);
    *number = sum;
    return true;
}

static int read_height(long status, struct slice body, struct chain_height *height,
                       struct fault *fault)
{
    struct json_in json;
    *height = (struct chain_height){0};
    int const err = json_rpc_result(status, body, &json, fault);
    if (err)
        return err;
    if (!parse_hex(&json, &height->height))
        return fault_set(fault, -EPROTO, "eth_blockNumber answers no number");
    return 0;
}

static const struct chain_extra extras[] = {
    {"gasUsed", "gas_used"}, {"gasLimit", "gas_limit"},        {"baseFeePerGas", "base_fee"},
    {"size", "size"},        {"blobGasUsed", "blob_gas_used"}, {NULL, NULL}};

static void parse_extra(struct json_in *json, const char *key, struct chain_block *block)
{
    for (size_t i = 0; extras[i].json; i++)
        if (strcmp(key, extras[i].json) == 0) {
            block->has_extra[i] = parse_hex(json, &block->extra[i]);
            return;
        }
    json_in_skip(json);
}

static void parse_field(struct json_in *json, const char *key, struct chain_block *block)
{
    struct block_header *header = &block->header;
    uint64_t number;
    if (strcmp(key, "number") == 0) {
        block->has_height = parse_hex(json, &header->height);
    } else if (strcmp(key, "timestamp") == 0) {
        if (parse_hex(json, &number) && number < INT64_MAX)
            header->time_s = (int64_t)number;
    } else if (strcmp(key, "hash") == 0) {
        json_in_text(json, header->hash, sizeof(header->hash));
    } else if (strcmp(key, "parentHash") == 0) {
        json_in_text(json, header->parent, sizeof(header->parent));
    } else if (strcmp(key, "transactions") == 0) {
        header->has_count = true;
        for (json_in_array(json); json_in_item(json); header->transactions++)
            json_in_skip(json);
    } else {
        parse_extra(json, key, block);
    }
}

static int read_headers(long status, struct slice body, struct chain_headers *headers,
                        struct fault *fault)
{
    struct json_in json;
    struct chain_block block = {0};
    char key[32];
    int const err = json_rpc_result(status, body, &json, fault);
    if (err)
        return err;
    if (json_rpc_is_null(&json))
        return fault_set(fault, -ENODATA, "the node has no such block");
    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));)
        parse_field(&json, key, &block);
    if (json.failed || !block.has_height)
        return fault_set(fault, -EPROTO, "eth_getBlockByNumber answers no block");
    if (chain_headers_add_block(headers, &block, extras) < 0)
        return fault_set(fault, -ENOMEM, "out of memory");
    return 0;
}

const struct chain_form chain_ethereum = {.posts = true,
                                          .batch = 1,
                                          .requests_max = 4,
                                          .ask_height = ask_height,
                                          .ask_headers = ask_headers,
                                          .read_height = read_height,
                                          .read_headers = read_headers};
