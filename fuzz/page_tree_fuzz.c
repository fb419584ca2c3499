/* SPDX-License-Identifier: Apache-2.0 */
/* page_tree_fuzz.c - any frames, stacks and cells as a tree of pages: sums hold in both
 * directions, and the text ends. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory/page_kind.h"
#include "serve/content/tree_text.h"

#define TEXT_MOST (16u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    const uint8_t *data;
    size_t size;
};

static uint8_t consume(struct bytes *bytes)
{
    if (!bytes->size)
        return 0;
    bytes->size--;
    return *bytes->data++;
}

static uint64_t consume_number(struct bytes *bytes)
{
    uint64_t number = 0;
    for (unsigned size = consume(bytes) % 9; size > 0; size--)
        number = number << 8 | consume(bytes);
    return number;
}

static string_id make_text(struct recording *recording, struct bytes *bytes)
{
    char text[16];
    size_t const size = consume(bytes) % sizeof(text);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)consume(bytes);
    text[size] = '\0';
    return recording_intern(recording, text);
}

/* Numbers of modules and locations need not be right. */
static void make_tables(struct recording *recording, struct bytes *bytes)
{
    recording->program = make_text(recording, bytes);
    for (unsigned i = consume(bytes) % 8; i > 0; i--)
        if (!vec_push(&recording->modules, (struct module){.path = make_text(recording, bytes)}))
            abort();
    for (unsigned i = consume(bytes) % 16; i > 0; i--)
        if (!vec_push(&recording->locations,
                      (struct location){.function = make_text(recording, bytes),
                                        .symbol = make_text(recording, bytes)}))
            abort();
    for (unsigned i = consume(bytes) % 32; i > 0; i--)
        if (!vec_push(&recording->frames,
                      (struct frame){.module = consume(bytes) % 10,
                                     .first_location = consume(bytes) % 20,
                                     .location_count = (uint32_t)consume_number(bytes),
                                     .address = consume_number(bytes)}))
            abort();
}

static void make_stacks(struct recording *recording, struct bytes *bytes)
{
    struct bucket bucket = {.end_ns = 1};
    bucket.cells = calloc(bytes->size + 1, sizeof(struct cell));
    if (!bucket.cells)
        abort();
    while (bytes->size) {
        uint32_t const stacks = stack_table_count(recording->stacks);
        uint8_t const what = consume(bytes);
        stack_id stack;
        if (what % 2)
            (void)stack_table_push(recording->stacks, what < 128 ? stacks : what % (stacks + 1),
                                   consume(bytes) % 40, &stack);
        else
            bucket.cells[bucket.cell_count++] = (struct cell){
                consume(bytes) % (stacks + 2), (uint16_t)(COL_PAGES_0 + what / 2 % 16),
                (int64_t)consume_number(bytes)};
    }
    if (!vec_push(&recording->buckets, bucket))
        abort();
}

static void check_text(struct tree_text *text)
{
    struct answer_stream stream = tree_text_stream(text);
    char piece[509];
    size_t total = 0;
    int64_t depth = 0;
    bool in_text = false, escaped = false;
    for (size_t got; (got = stream.fill(stream.state, piece, sizeof(piece))) > 0; total += got)
        for (size_t i = 0; i < got && total < TEXT_MOST; i++) {
            if (!in_text)
                depth +=
                    (piece[i] == '{' || piece[i] == '[') - (piece[i] == '}' || piece[i] == ']');
            in_text ^= piece[i] == '"' && !escaped;
            escaped = piece[i] == '\\' && !escaped;
        }
    if (total < TEXT_MOST && (depth != 0 || in_text))
        abort();
    stream.close(stream.state);
}

static void check_tree(const struct page_tree *tree)
{
    for (size_t node = 0; node < tree->nodes.count; node++) {
        uint64_t left_out[PAGE_SUMS];
        page_tree_left_out(tree, node, left_out);
        for (unsigned i = 0; i < tree->width; i++)
            if (left_out[i] > page_tree_totals(tree, node)[i] ||
                page_tree_own(tree, node)[i] > page_tree_totals(tree, node)[i])
                abort();
        if (page_tree_totals(tree, node)[PAGE_SUM_CACHE] >
            page_tree_totals(tree, node)[PAGE_SUM_VALUE])
            abort();
    }
}

static void check_forms(const struct recording *recording, const struct running *running)
{
    uint64_t all[PAGE_SUMS], root[2][PAGE_SUMS] = {{0}};
    int const wanted = page_weigh_all(running, 1, all, PAGE_SUMS);
    for (unsigned i = 0; i < 4; i++) {
        struct page_tree tree;
        struct page_tree_options const options = {.outermost_first = i & 1,
                                                  .width = PAGE_SUMS,
                                                  .unit_bytes = 1,
                                                  .threshold = i & 2 ? 4096 : 0,
                                                  .nodes_most = TREE_NODES_MOST};
        if (page_tree_build(recording, running, &options, &tree) != wanted)
            abort();
        if (wanted)
            continue;
        check_tree(&tree);
        memcpy(root[i & 1], page_tree_totals(&tree, 0), sizeof(root[0]));
        page_tree_fini(&tree);
        int err;
        struct tree_text *text = tree_text_make(
            recording, running, &(struct tree_wish){i & 2 ? TREE_OURS : TREE_COMPATIBLE, i & 1, 0},
            &err);
        if (!text)
            abort();
        check_text(text);
        tree_text_release(text);
    }
    if (!wanted &&
        (memcmp(root[0], all, sizeof(all)) != 0 || memcmp(root[1], all, sizeof(all)) != 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct recording *recording = recording_create();
    struct running *running = running_create();
    if (!recording || !running || size > 1u << 16)
        goto out;
    make_tables(recording, &bytes);
    make_stacks(recording, &bytes);
    if (running_advance(running, recording, UINT64_MAX, NULL) == 0)
        check_forms(recording, running);
out:
    running_destroy(running);
    recording_destroy(recording);
    return 0;
}
