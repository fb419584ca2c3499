/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/blocks/block_record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "formats/encodings/base64.h"

#define KEY_MAX 32

static bool decode_uint(struct msgpack_in *in, uint64_t *number)
{
    struct msgpack_in const before = *in;
    struct msgpack_value value;
    if (!msgpack_next(in, &value))
        return false;
    if (value.type == MSGPACK_UINT) {
        *number = value.number;
        return true;
    }
    *in = before;
    msgpack_skip(in, NULL);
    return false;
}

/* Bytes as base64, texts as they are if they are plain and short enough. */
static void decode_hash(struct msgpack_in *in, char hash[BLOCK_HASH_MAX])
{
    struct msgpack_in const before = *in;
    struct msgpack_value value;
    if (!msgpack_next(in, &value))
        return;
    if (value.type == MSGPACK_BYTES && base64_text_size(value.bytes.size) < BLOCK_HASH_MAX) {
        hash[base64_encode(value.bytes, hash)] = '\0';
    } else if (value.type == MSGPACK_TEXT && value.bytes.size < BLOCK_HASH_MAX &&
               !memchr(value.bytes.data, '\0', value.bytes.size)) {
        memcpy(hash, value.bytes.data, value.bytes.size);
        hash[value.bytes.size] = '\0';
    } else {
        *in = before;
        msgpack_skip(in, NULL);
    }
}

static void decode_field(struct msgpack_in *in, const char *key, struct block_header *header)
{
    uint64_t number;
    if (strcmp(key, "rnd") == 0) {
        if (decode_uint(in, &number))
            header->height = number;
    } else if (strcmp(key, "ts") == 0) {
        if (decode_uint(in, &number) && number <= INT32_MAX * UINT64_C(100))
            header->time_s = (int64_t)number;
    } else if (strcmp(key, "tc") == 0) {
        if (decode_uint(in, &number))
            header->transactions_total = number;
    } else if (strcmp(key, "ntx") == 0) {
        header->has_count = decode_uint(in, &header->transactions);
    } else if (strcmp(key, "hash") == 0) {
        decode_hash(in, header->hash);
    } else if (strcmp(key, "prev") == 0) {
        decode_hash(in, header->parent);
    } else if (strcmp(key, "gh") == 0) {
        decode_hash(in, header->genesis);
    } else {
        msgpack_skip(in, NULL);
    }
}

int block_header_parse(struct slice map, struct block_header *header, struct fault *fault)
{
    struct msgpack_in in = {.text = map};
    struct msgpack_value value;
    char key[KEY_MAX];
    *header = (struct block_header){.has_total = true}; /* what is 0 is left out: tc as well */
    if (!msgpack_next(&in, &value) || value.type != MSGPACK_MAP)
        return fault_set(fault, -EINVAL,
                         "the answer is not a block header: it is not a MessagePack map");
    for (uint64_t i = 0; i < value.count && msgpack_key(&in, key, sizeof(key)); i++)
        decode_field(&in, key, header);
    if (in.failed)
        return fault_set(fault, -EINVAL, "the MessagePack of a block header ends early");
    header->fields = (struct slice){map.data, map.size - in.text.size};
    return 0;
}

void block_header_write(struct msgpack_out *out, const struct block_header *header)
{
    struct msgpack_in in = {.text = header->fields};
    struct msgpack_value value = {0};
    struct msgpack_in keys;
    char key[KEY_MAX];
    bool has_total = !header->has_total;
    if (header->fields.size == 0 || !msgpack_next(&in, &value) || value.type != MSGPACK_MAP) {
        msgpack_put_map(out, 3);
        msgpack_put_text(out, "rnd");
        msgpack_put_uint(out, header->height);
        msgpack_put_text(out, "ts");
        msgpack_put_int(out, header->time_s);
        msgpack_put_text(out, "tc");
        msgpack_put_uint(out, header->transactions_total);
        return;
    }
    keys = in;
    for (uint64_t i = 0; i < value.count && msgpack_key(&keys, key, sizeof(key)); i++) {
        has_total |= strcmp(key, "tc") == 0;
        msgpack_skip(&keys, NULL);
    }
    msgpack_put_map(out, (uint32_t)value.count + !has_total);
    msgpack_put_raw(out, in.text);
    if (!has_total) {
        msgpack_put_text(out, "tc");
        msgpack_put_uint(out, header->transactions_total);
    }
}

static void put_record(struct msgpack_out *out, const struct block_record *record)
{
    bool const is_known = record->within_ns >= 0, is_other = record->replaces[0] != '\0';
    msgpack_put_map(out, 3u + is_known + is_other);
    msgpack_put_text(out, "block");
    block_header_write(out, &record->header);
    msgpack_put_text(out, "_time");
    msgpack_put_real(out, (double)record->arrival_ns / 1e9);
    msgpack_put_text(out, "_ns");
    msgpack_put_int(out, record->arrival_ns);
    if (is_known) {
        msgpack_put_text(out, "_within");
        msgpack_put_int(out, record->within_ns);
    }
    if (is_other) {
        msgpack_put_text(out, "_replaces");
        msgpack_put_text(out, record->replaces);
    }
}

void block_record_write(struct msgpack_out *line, const struct block_record *record)
{
    struct msgpack_out map = {0};
    put_record(&map, record);
    char *text = map.failed ? NULL : malloc(base64_text_size(map.size) + 1);
    if (text) {
        size_t const size = base64_encode((struct slice){map.data, map.size}, text);
        text[size] = '\n';
        msgpack_put_raw(line, (struct slice){text, size + 1});
    } else {
        line->failed = true;
    }
    free(text);
    msgpack_fini(&map);
}

static void decode_time(struct msgpack_in *in, struct block_record *record)
{
    struct msgpack_in const before = *in;
    struct msgpack_value value;
    double seconds = 0;
    if (!msgpack_next(in, &value))
        return;
    if (value.type == MSGPACK_REAL) {
        seconds = value.real;
    } else if (value.type == MSGPACK_UINT) {
        seconds = (double)value.number;
    } else {
        *in = before;
        msgpack_skip(in, NULL);
    }
    if (!record->is_ours && isfinite(seconds) && seconds > 0 && seconds < 9e9)
        record->arrival_ns = (int64_t)floor(seconds) * (int64_t)NS_PER_SECOND +
                             (int64_t)((seconds - floor(seconds)) * 1e9);
}

static void decode_part(struct msgpack_in *in, const char *key, struct block_record *record,
                        struct slice *block)
{
    uint64_t number;
    if (strcmp(key, "block") == 0) {
        msgpack_skip(in, block);
    } else if (strcmp(key, "_time") == 0) {
        decode_time(in, record);
    } else if (strcmp(key, "_ns") == 0) {
        if (decode_uint(in, &number) && number <= INT64_MAX) {
            record->is_ours = true;
            record->arrival_ns = (int64_t)number;
        }
    } else if (strcmp(key, "_within") == 0) {
        if (decode_uint(in, &number) && number <= INT64_MAX)
            record->within_ns = (int64_t)number;
    } else if (strcmp(key, "_replaces") == 0) {
        decode_hash(in, record->replaces);
    } else {
        msgpack_skip(in, NULL);
    }
}

static int parse_map(struct slice map, struct block_record *record, struct fault *fault)
{
    struct msgpack_in in = {.text = map};
    struct msgpack_value value;
    struct slice block = {NULL, 0};
    char key[KEY_MAX];
    *record = (struct block_record){.within_ns = -1};
    if (!msgpack_next(&in, &value) || value.type != MSGPACK_MAP)
        return fault_set(fault, -EINVAL, "the line is no block record: not a MessagePack map");
    for (uint64_t i = 0; i < value.count && msgpack_key(&in, key, sizeof(key)); i++)
        decode_part(&in, key, record, &block);
    if (in.failed || !block.data)
        return fault_set(fault, -EINVAL, "the line is no block record: %s",
                         in.failed ? "it ends early" : "it has no block");
    return block_header_parse(block, &record->header, fault);
}

int block_record_parse(struct slice line, struct msgpack_out *scratch, struct block_record *record,
                       struct fault *fault)
{
    while (line.size && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
        line.size--;
    while (line.size && line.data[0] == ' ')
        line = (struct slice){line.data + 1, line.size - 1};
    if (line.size == 0 || line.data[0] == '#')
        return 0;
    if (line.size > BLOCK_LINE_MAX)
        return fault_set(fault, -EMSGSIZE, "the line is longer than any block header");
    char *bytes = malloc(base64_bytes_max(line.size));
    if (!bytes)
        return fault_set(fault, -ENOMEM, "out of memory");
    ssize_t const size = base64_decode(line, bytes);
    msgpack_reset(scratch);
    if (size > 0)
        msgpack_put_raw(scratch, (struct slice){bytes, (size_t)size});
    free(bytes);
    if (size < 0)
        return fault_set(fault, -EINVAL, "the line is no base64");
    if (scratch->failed)
        return fault_set(fault, -ENOMEM, "out of memory");
    int const err = parse_map((struct slice){scratch->data, scratch->size}, record, fault);
    return err ? err : 1;
}
