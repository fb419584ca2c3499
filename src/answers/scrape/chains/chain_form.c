/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/chains/chain_forms.h"

#include <errno.h>
#include <stdlib.h>

const struct chain_form *chain_form_of(enum chain_kind kind)
{
    switch (kind) {
    case CHAIN_ALGOD:
        return &chain_algod;
    case CHAIN_MONERO:
        return &chain_monero;
    case CHAIN_ETHEREUM:
        return &chain_ethereum;
    case CHAIN_NONE:
        break;
    }
    return NULL;
}

void chain_headers_fini(struct chain_headers *headers)
{
    vec_each (header, &headers->items)
        free((char *)header->fields.data);
    vec_free(&headers->items);
}

int chain_headers_add(struct chain_headers *headers, const struct block_header *header,
                      struct slice fields)
{
    struct block_header added = *header;
    char *copy = malloc(fields.size + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, fields.data, fields.size);
    added.fields = (struct slice){copy, fields.size};
    if (vec_push(&headers->items, added))
        return 0;
    free(copy);
    return -ENOMEM;
}

int chain_headers_add_block(struct chain_headers *headers, const struct chain_block *block,
                            const struct chain_extra *extras)
{
    struct msgpack_out map = {0};
    const struct block_header *header = &block->header;
    uint32_t count = 5;
    for (size_t i = 0; extras[i].json; i++)
        count += block->has_extra[i];
    msgpack_put_map(&map, count);
    msgpack_put_text(&map, "rnd");
    msgpack_put_uint(&map, header->height);
    msgpack_put_text(&map, "ts");
    msgpack_put_int(&map, header->time_s);
    msgpack_put_text(&map, "ntx");
    msgpack_put_uint(&map, header->transactions);
    msgpack_put_text(&map, "hash");
    msgpack_put_text(&map, header->hash);
    msgpack_put_text(&map, "prev");
    msgpack_put_text(&map, header->parent);
    for (size_t i = 0; extras[i].json; i++)
        if (block->has_extra[i]) {
            msgpack_put_text(&map, extras[i].record);
            msgpack_put_uint(&map, block->extra[i]);
        }
    int const err = map.failed
                        ? -ENOMEM
                        : chain_headers_add(headers, header, (struct slice){map.data, map.size});
    msgpack_fini(&map);
    return err;
}
