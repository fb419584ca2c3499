/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/tree_text.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "serve/content/tree_form.h"
#include "serve/content/tree_parts.h"

#define PIECES_MOST 4

struct tree_piece {
    const char *data;
    size_t size;
};

enum tree_stage { STAGE_HEAD, STAGE_OPEN, STAGE_CLOSE, STAGE_TAIL, STAGE_DONE };

/* What is being sent: where we are in the tree, and what of this step is still to be copied. */
struct tree_stream {
    struct tree_text *text;
    enum tree_stage stage;
    uint32_t node;
    bool is_first; /* of its siblings */
    struct tree_piece pieces[PIECES_MOST];
    size_t piece_count, piece;
    char numbers[NODE_TEXT_MOST];
};

void tree_text_release(struct tree_text *text)
{
    if (!text || atomic_fetch_sub(&text->holders, 1) > 1)
        return;
    page_tree_fini(&text->tree);
    vec_free(&text->names);
    free(text->pool);
    free(text->head);
    free(text);
}

struct tree_text *tree_text_hold(struct tree_text *text)
{
    atomic_fetch_add(&text->holders, 1);
    return text;
}

struct tree_text *tree_text_make(const struct recording *recording, const struct running *running,
                                 const struct tree_wish *wish, int *err)
{
    struct tree_text *text = calloc(1, sizeof(*text));
    bool const is_ours = wish->form == TREE_OURS;
    struct page_tree_options const options = {
        .outermost_first = wish->outermost_first,
        .width = is_ours ? PAGE_SUMS : PAGE_SUMS_COMMON,
        .unit_bytes = is_ours ? 1 : 1024,
        .threshold = wish->threshold,
        .nodes_most = TREE_NODES_MOST,
    };
    *err = -ENOMEM;
    if (!text)
        return NULL;
    text->holders = 1;
    text->wish = *wish;
    text->recording = recording;
    text->time_ns = running_time(running);
    text->locations = recording->locations.count;
    *err = page_tree_build(recording, running, &options, &text->tree);
    if (!*err)
        *err = tree_form_write(text, recording);
    page_frames_fini(&text->tree.frames); /* the names are copied: nothing of the recording stays */
    if (!*err)
        return text;
    tree_text_release(text);
    return NULL;
}

bool tree_text_is_of(const struct tree_text *text, const struct recording *recording,
                     const struct running *running, const struct tree_wish *wish)
{
    return text->recording == recording && text->time_ns == running_time(running) &&
           text->locations == recording->locations.count && text->wish.form == wish->form &&
           text->wish.outermost_first == wish->outermost_first &&
           text->wish.threshold == wish->threshold;
}

static void add_piece(struct tree_stream *stream, const char *data, size_t size)
{
    stream->pieces[stream->piece_count++] = (struct tree_piece){data, size};
}

static void open_node(struct tree_stream *stream)
{
    const struct tree_text *text = stream->text;
    const struct page_node *node = &text->tree.nodes.items[stream->node];
    if (!stream->is_first)
        add_piece(stream, ",", 1);
    add_piece(stream, "{", 1);
    if (stream->node) {
        struct name_span const name = text->names.items[node->frame];
        add_piece(stream, text->pool + name.begin, name.size);
    }
    add_piece(stream, stream->numbers, tree_form_open(text, stream->node, stream->numbers));
    if (node->child_count) {
        stream->node = node->first_child;
        stream->is_first = true;
    } else {
        stream->stage = STAGE_CLOSE;
    }
}

/* Then its sibling, or its parent's end. */
static void close_node(struct tree_stream *stream)
{
    const struct tree_text *text = stream->text;
    const struct page_node *nodes = text->tree.nodes.items;
    uint32_t const node = stream->node, parent = nodes[node].parent;
    add_piece(stream, stream->numbers, tree_form_close(text, node, stream->numbers));
    if (node == 0) {
        stream->stage = STAGE_TAIL;
    } else if (node + 1 < nodes[parent].first_child + nodes[parent].child_count) {
        stream->node = node + 1;
        stream->is_first = false;
        stream->stage = STAGE_OPEN;
    } else {
        stream->node = parent;
    }
}

/* The next pieces; none at the end. */
static void next_step(struct tree_stream *stream)
{
    stream->piece_count = stream->piece = 0;
    switch (stream->stage) {
    case STAGE_HEAD:
        add_piece(stream, stream->text->head, stream->text->head_size);
        stream->stage = STAGE_OPEN;
        break;
    case STAGE_OPEN:
        open_node(stream);
        break;
    case STAGE_CLOSE:
        close_node(stream);
        break;
    case STAGE_TAIL:
        add_piece(stream, stream->text->tail, strlen(stream->text->tail));
        stream->stage = STAGE_DONE;
        break;
    case STAGE_DONE:
        break;
    }
}

static size_t fill(void *state, char *into, size_t room)
{
    struct tree_stream *stream = state;
    size_t filled = 0;
    while (filled < room) {
        if (stream->piece == stream->piece_count) {
            next_step(stream);
            if (stream->piece_count == 0)
                break;
        }
        struct tree_piece *piece = &stream->pieces[stream->piece];
        size_t const size = piece->size < room - filled ? piece->size : room - filled;
        if (size)
            memcpy(into + filled, piece->data, size);
        filled += size;
        piece->data += size;
        piece->size -= size;
        stream->piece += piece->size == 0;
    }
    return filled;
}

static void close_stream(void *state)
{
    struct tree_stream *stream = state;
    tree_text_release(stream->text);
    free(stream);
}

struct answer_stream tree_text_stream(struct tree_text *text)
{
    struct tree_stream *stream = calloc(1, sizeof(*stream));
    if (!stream)
        return (struct answer_stream){0};
    stream->text = tree_text_hold(text);
    stream->is_first = true;
    return (struct answer_stream){
        .state = stream, .fill = fill, .close = close_stream, .held_bytes = text->held_bytes};
}
