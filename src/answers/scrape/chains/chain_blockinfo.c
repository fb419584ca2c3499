/* SPDX-License-Identifier: Apache-2.0 */
/* chain_blockinfo.c - the newest header of a node as JSON, for one snapshot of `memoir watch`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json_out.h"
#include "formats/encodings/base64.h"
#include "scrape/chains/chain_forms.h"
#include "scrape/chains/chain_parts.h"
#include "scrape/chains/chain_source.h"

#define DEPTH_MAX 24u

static bool render_value(struct json_out *json, struct msgpack_in *in, unsigned depth);

static bool render_bytes(struct json_out *json, struct slice bytes)
{
    char *text = malloc(base64_text_size(bytes.size) + 1);
    if (!text) {
        json_null(json);
        return false;
    }
    json_bytes(json, text, base64_encode(bytes, text));
    free(text);
    return true;
}

static bool render_map(struct json_out *json, struct msgpack_in *in, uint64_t count, unsigned depth)
{
    bool is_good = true;
    json_object_begin(json);
    for (uint64_t i = 0; is_good && i < count; i++) {
        char key[256];
        is_good = msgpack_key(in, key, sizeof(key));
        if (is_good) {
            json_key(json, key);
            is_good = render_value(json, in, depth + 1);
        }
    }
    json_object_end(json);
    return is_good;
}

static bool render_array(struct json_out *json, struct msgpack_in *in, uint64_t count,
                         unsigned depth)
{
    bool is_good = true;
    json_array_begin(json);
    for (uint64_t i = 0; is_good && i < count; i++)
        is_good = render_value(json, in, depth + 1);
    json_array_end(json);
    return is_good;
}

static bool render_value(struct json_out *json, struct msgpack_in *in, unsigned depth)
{
    struct msgpack_in const before = *in;
    struct msgpack_value value;
    if (!msgpack_next(in, &value)) {
        json_null(json);
        return false;
    }
    if (depth > DEPTH_MAX) {
        *in = before;
        json_null(json);
        return msgpack_skip(in, NULL);
    }
    switch (value.type) {
    case MSGPACK_BOOL:
        json_bool(json, value.truth);
        return true;
    case MSGPACK_UINT:
        json_uint(json, value.number);
        return true;
    case MSGPACK_INT:
        json_int(json, value.negative);
        return true;
    case MSGPACK_REAL:
        json_real(json, value.real);
        return true;
    case MSGPACK_TEXT:
        json_bytes(json, value.bytes.data, value.bytes.size);
        return true;
    case MSGPACK_BYTES:
        return render_bytes(json, value.bytes);
    case MSGPACK_ARRAY:
        return render_array(json, in, value.count, depth);
    case MSGPACK_MAP:
        return render_map(json, in, value.count, depth);
    case MSGPACK_NIL:
    case MSGPACK_EXT:
        break;
    }
    json_null(json);
    return true;
}

int chain_blockinfo_render(const struct block_header *header, char **text, size_t *size)
{
    struct msgpack_out map = {0};
    struct json_out json;
    FILE *file = open_memstream(text, size);
    if (!file)
        return -ENOMEM;
    block_header_write(&map, header);
    struct msgpack_in in = {.text = {map.data, map.size}};
    json_init(&json, file, false);
    json_object_begin(&json);
    json_key(&json, "block");
    bool const is_good = render_value(&json, &in, 1) && !map.failed;
    json_object_end(&json);
    int err = json_finish(&json);
    if (fclose(file) != 0 || !is_good)
        err = -EINVAL;
    msgpack_fini(&map);
    return err;
}

struct asking {
    struct chain_source *source;
    chain_blockinfo_fn done;
    void *context;
    uint64_t begin_ns;
    struct chain_height height;
};

static void finish(struct asking *asking, const struct chain_blockinfo *info)
{
    struct chain_blockinfo told = *info;
    told.begin_ns = asking->begin_ns;
    told.end_ns = unix_ns();
    asking->done(asking->context, &told);
    chain_source_destroy(asking->source);
    free(asking);
}

static void fail(struct asking *asking, int error, const char *why)
{
    struct chain_blockinfo const info = {.error = error, .why = why};
    finish(asking, &info);
}

static void have_header(void *context, const struct chain_answer *answer)
{
    struct asking *asking = context;
    char *text = NULL;
    size_t size = 0;
    if (answer->error || answer->header_count == 0) {
        fail(asking, answer->error ? answer->error : -ENODATA, answer->why);
        return;
    }
    struct block_header header = answer->headers[0];
    if (!header.has_total && asking->height.has_total) {
        header.has_total = true;
        header.transactions_total = asking->height.transactions_total;
    }
    int const err = chain_blockinfo_render(&header, &text, &size);
    struct chain_blockinfo const info = {.error = err,
                                         .why = err ? "the header cannot be written as JSON" : "",
                                         .json = {text, size},
                                         .header = header};
    finish(asking, &info);
    free(text);
}

static void have_height(void *context, const struct chain_answer *answer)
{
    struct asking *asking = context;
    struct fault fault = {0};
    if (answer->error) {
        fail(asking, answer->error, answer->why);
        return;
    }
    asking->height = *chain_source_height(asking->source);
    int const err =
        chain_ask_headers(asking->source, answer->height, 1, have_header, asking, &fault);
    if (err)
        fail(asking, err, fault.text);
}

int chain_ask_blockinfo(struct http *http, const struct node *node, uint64_t timeout_ms,
                        chain_blockinfo_fn done, void *context, struct fault *fault)
{
    struct asking *asking = calloc(1, sizeof(*asking));
    if (!asking)
        return fault_set(fault, -ENOMEM, "out of memory");
    *asking = (struct asking){.done = done, .context = context, .begin_ns = unix_ns()};
    asking->source = chain_source_create(http, node, fault);
    int err = asking->source ? 0 : -EINVAL;
    if (!err) {
        chain_source_limit(asking->source, timeout_ms);
        err = chain_ask_height(asking->source, have_height, asking, fault);
    }
    if (err) {
        chain_source_destroy(asking->source);
        free(asking);
    }
    return err;
}
