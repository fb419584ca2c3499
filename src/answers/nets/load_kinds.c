/* SPDX-License-Identifier: Apache-2.0 */
/* load_kinds.c - the requests that load generators send, one kind per protocol. */
#include <stdlib.h>
#include <string.h>

#include "nets/load.h"

#define KEYS 1000u

/* Fields of etcd's messages (etcdserverpb). */
enum { PUT_KEY = 1, PUT_VALUE = 2, RANGE_KEY = 1, TXN_SUCCESS = 2, OP_RANGE = 1, OP_PUT = 2 };

static void put_message(const struct load_options *options, uint64_t number,
                        struct protobuf_out *out)
{
    char key[160], value[4096];
    size_t const size = options->value_bytes < sizeof(value) ? options->value_bytes : sizeof(value);
    int const length = snprintf(key, sizeof(key), "/%.100s/%llu", options->name,
                                (unsigned long long)(number % KEYS));
    memset(value, 'a' + (int)(number % 26), size);
    protobuf_bytes(out, PUT_KEY, key, (size_t)length);
    protobuf_bytes(out, PUT_VALUE, value, size);
}

/* A put, and what another key is then; one put each, so that what servers count as puts are
 * transactions. */
static void txn_message(const struct load_options *options, uint64_t number,
                        struct protobuf_out *out)
{
    struct protobuf_out inner = {0}, op = {0};
    char key[160];
    put_message(options, number, &inner);
    protobuf_message(&op, OP_PUT, &inner);
    protobuf_message(out, TXN_SUCCESS, &op);
    protobuf_reset(&inner);
    protobuf_reset(&op);
    int const length = snprintf(key, sizeof(key), "/%.100s/%llu", options->name,
                                (unsigned long long)((number + KEYS / 2) % KEYS));
    protobuf_bytes(&inner, RANGE_KEY, key, (size_t)length);
    protobuf_message(&op, OP_RANGE, &inner);
    protobuf_message(out, TXN_SUCCESS, &op);
    out->failed |= inner.failed || op.failed;
    protobuf_fini(&inner);
    protobuf_fini(&op);
}

/* gRPC puts five bytes before a message: not compressed, and its length. */
static void frame(struct protobuf_out *body, const struct protobuf_out *message)
{
    size_t const size = message->size;
    unsigned char const head[5] = {0, (unsigned char)(size >> 24), (unsigned char)(size >> 16),
                                   (unsigned char)(size >> 8), (unsigned char)size};
    protobuf_raw(body, head, sizeof(head));
    protobuf_raw(body, message->data, size);
    body->failed |= message->failed;
}

static void make_etcd(const struct load_options *options, uint64_t number,
                      struct protobuf_out *body, const char **path)
{
    struct protobuf_out message = {0};
    bool const is_txn = number % 2;
    *path = is_txn ? "/etcdserverpb.KV/Txn" : "/etcdserverpb.KV/Put";
    (is_txn ? txn_message : put_message)(options, number, &message);
    frame(body, &message);
    protobuf_fini(&message);
}

/* One block. */
static void make_monero(const struct load_options *options, uint64_t number,
                        struct protobuf_out *body, const char **path)
{
    char text[512];
    int const length =
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":\"%llu\",\"method\":\"generateblocks\",\"params\":"
                 "{\"amount_of_blocks\":1,\"wallet_address\":\"%.200s\",\"starting_nonce\":%llu}}",
                 (unsigned long long)number, options->wallet ? options->wallet : "",
                 (unsigned long long)(number % UINT32_MAX));
    *path = "/json_rpc";
    protobuf_raw(body, text, (size_t)length);
}

const struct load_kind *load_kind_find(const char *name)
{
    static const struct load_kind kinds[] = {{"etcd", true, make_etcd},
                                             {"monero", false, make_monero}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}
