/* chain_forms.h - requests and answers of each kind of chain: makes requests and parses answers,
 * but sends nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"
#include "base/vec.h"
#include "cluster/blocks/block_record.h"
#include "scrape/nodes/node.h"

#define CHAIN_PATH_MAX 160

/* One request: the path after the address of the interface, and the body of a POST ("": a GET). */
struct chain_ask {
    char path[CHAIN_PATH_MAX];
    char body[256];
    uint64_t timeout_ms; /* 0: the usual one */
};

/* The list owns the fields of each header. */
struct chain_headers {
    VEC(struct block_header) items;
};
void chain_headers_fini(struct chain_headers *headers);
/* Adds `header`, and a copy of `fields`.  Returns 0 or -ENOMEM. */
int chain_headers_add(struct chain_headers *headers, const struct block_header *header,
                      struct slice fields);

/* A whole number that only this chain has: its name in the JSON and in the record.  A list ends
 * with NULL. */
struct chain_extra {
    const char *json, *record;
};
#define CHAIN_EXTRA_MAX 8
struct chain_block {
    struct block_header header;
    bool has_height;
    uint64_t extra[CHAIN_EXTRA_MAX];
    bool has_extra[CHAIN_EXTRA_MAX];
};
/* Adds the header of `block`, with fields made from the header and the extra numbers.  Returns 0 or
 * -ENOMEM. */
int chain_headers_add_block(struct chain_headers *headers, const struct chain_block *block,
                            const struct chain_extra *extras);

struct chain_height {
    uint64_t height; /* of the newest block */
    bool has_total;
    uint64_t transactions_total; /* of the whole chain */
};

struct chain_form {
    bool waits;            /* ask_wait is there */
    bool has_plain;        /* headers can be requested in an older way, too */
    bool posts;            /* JSON */
    unsigned batch;        /* headers in one request */
    unsigned requests_max; /* at the same time */
    void (*ask_height)(struct chain_ask *ask);
    void (*ask_wait)(struct chain_ask *ask, uint64_t height);
    /* `is_plain`: without parameters that an old node does not know. */
    void (*ask_headers)(struct chain_ask *ask, uint64_t first, uint64_t count, bool is_plain);
    /* Parse an answer.  Return 0 or -errno with a sentence, as in struct chain_answer. */
    int (*read_height)(long status, struct slice body, struct chain_height *height,
                       struct fault *fault);
    int (*read_headers)(long status, struct slice body, struct chain_headers *headers,
                        struct fault *fault);
};
/* Returns the form of a kind; NULL for CHAIN_NONE. */
const struct chain_form *chain_form_of(enum chain_kind kind);

extern const struct chain_form chain_algod, chain_monero, chain_ethereum;

/* Renders a header as {"block":{…}}, one line with its newline; the caller frees *text.  Returns 0
 * or -errno. */
int chain_blockinfo_render(const struct block_header *header, char **text, size_t *size);
