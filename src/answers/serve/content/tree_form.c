/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/tree_form.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "serve/content/frame_words.h"

/* Of our form, after the value: in the order they are shown, and where they are in a node's
 * sums. */
static const struct {
    const char *key;
    unsigned sum;
} columns[] = {
    {"cache", PAGE_SUM_CACHE},
    {"anon", PAGE_SUM_KIND_0 + PAGE_ANON},
    {"file", PAGE_SUM_KIND_0 + PAGE_FILE},
    {"shmem", PAGE_SUM_KIND_0 + PAGE_SHMEM},
    {"swap", PAGE_SUM_KIND_0 + PAGE_SWAP},
    {"page_cache", PAGE_SUM_KIND_0 + PAGE_CACHE},
    {"kernel", PAGE_SUM_KIND_0 + PAGE_KERNEL},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void write_compatible_name(const struct recording *recording, const struct page_frame *frame,
                                  struct json_out *json, char *room)
{
    char offset[16];
    struct slice const executable = frame_executable(recording, frame);
    snprintf(offset, sizeof(offset), "%08" PRIx32, (uint32_t)frame->address);
    json_object_begin(json);
    json_text_field(json, "offset", offset);
    json_key(json, "executable");
    json_bytes(json, executable.data, executable.size);
    json_text_field(json, "functionName",
                    frame_function(recording, frame, room, FRAME_FUNCTION_MOST));
    json_text_field(json, "functionCategory", frame_category(recording, frame));
    json_object_end(json);
}

/* The locations of a frame, all of them there; the last is the function that has the address. */
static size_t locations_of(const struct recording *recording, const struct page_frame *frame,
                           const struct location **first)
{
    size_t const known = recording->locations.count;
    if (frame->frame >= recording->frames.count)
        return 0;
    const struct frame *shown = &recording->frames.items[frame->frame];
    if (!shown->location_count || shown->first_location > known ||
        shown->location_count > known - shown->first_location)
        return 0;
    *first = recording->locations.items + shown->first_location;
    return shown->location_count;
}

static void write_our_name(const struct recording *recording, const struct page_frame *frame,
                           struct json_out *json)
{
    const struct location *locations = NULL;
    size_t const count = locations_of(recording, frame, &locations);
    struct location const real = count ? locations[count - 1] : (struct location){0};
    char address[24];
    snprintf(address, sizeof(address), "0x%" PRIx64, frame->address);
    json_object_begin(json);
    json_text_field(json, "function",
                    frame->function ? recording_text(recording, frame->function) : NULL);
    json_text_field(json, "module", frame->path ? recording_text(recording, frame->path) : NULL);
    json_text_field(json, "address", frame->path ? address : NULL);
    json_text_field(json, "language", frame_language(recording, frame));
    json_text_field(json, "file", real.file ? recording_text(recording, real.file) : NULL);
    json_uint_field_if(json, "line", real.line != 0, real.line);
    json_key(json,
             "inlined"); /* functions that the compiler put into the real one, innermost first */
    json_array_begin(json);
    for (size_t i = 0; i + 1 < count; i++)
        json_text(json, recording_text(recording, locations[i].function));
    json_array_end(json);
    json_object_end(json);
}

static void write_name(const struct tree_text *text, const struct recording *recording,
                       const struct page_frame *frame, FILE *out, char *room)
{
    bool const is_ours = text->wish.form == TREE_OURS;
    struct json_out json;
    fputs(is_ours ? "\"frame\":" : "\"name\":", out);
    json_init(&json, out, false);
    if (is_ours)
        write_our_name(recording, frame, &json);
    else
        write_compatible_name(recording, frame, &json, room);
    fputc(',', out);
}

/* Each name that a node has, once. */
static int write_names(struct tree_text *text, const struct recording *recording)
{
    const struct page_frames *frames = &text->tree.frames;
    FILE *out = open_memstream(&text->pool, &text->pool_size);
    char *room = malloc(FRAME_FUNCTION_MOST);
    int err = out && room && vec_reserve(&text->names, frames->items.count) ? 0 : -ENOMEM;
    long begin = 0;
    if (!err && frames->items.count)
        memset(text->names.items, 0, frames->items.count * sizeof(text->names.items[0]));
    if (!err)
        text->names.count = frames->items.count;
    for (size_t i = 1; !err && i < text->tree.nodes.count; i++) {
        uint32_t const frame = text->tree.nodes.items[i].frame;
        struct name_span *name = &text->names.items[frame];
        if (name->size)
            continue;
        write_name(text, recording, &frames->items.items[frame], out, room);
        long const end = ftell(out);
        *name = (struct name_span){(size_t)begin, (size_t)(end - begin)};
        begin = end;
    }
    if (!err && ferror(out))
        err = -ENOMEM;
    if (out && fclose(out) != 0)
        err = -ENOMEM;
    free(room);
    return err;
}

static void write_our_head(const struct tree_text *text, const struct recording *recording,
                           FILE *out)
{
    struct json_out json;
    json_init(&json, out, false);
    json_object_begin(&json);
    json_uint_field(&json, "pid", recording->pid);
    json_text_field(&json, "program", recording_text(recording, recording->program));
    json_uint_field(&json, "time_ns", text->time_ns);
    json_bool_field(&json, "being_written", recording->being_written);
    json_uint_field(&json, "lost_events", recording->quality.lost_events);
    json_text_field(&json, "unit", "bytes");
    json_text_field(&json, "children", text->wish.outermost_first ? "callees" : "callers");
    json_uint_field(&json, "threshold", text->wish.threshold);
    json_key(&json, "tree");
}

int tree_form_write(struct tree_text *text, const struct recording *recording)
{
    int err = write_names(text, recording);
    FILE *out = open_memstream(&text->head, &text->head_size);
    if (!out)
        return -ENOMEM;
    if (text->wish.form == TREE_OURS)
        write_our_head(text, recording, out);
    if (fclose(out) != 0)
        err = -ENOMEM;
    text->tail = text->wish.form == TREE_OURS ? "}\n" : "\n";
    text->held_bytes = sizeof(*text) + text->pool_size + text->head_size +
                       text->names.room * sizeof(text->names.items[0]) +
                       text->tree.nodes.room * sizeof(text->tree.nodes.items[0]) +
                       (text->tree.totals.room + text->tree.own.room) * sizeof(uint64_t);
    return err;
}

static size_t open_ours(const struct tree_text *text, uint32_t node, char into[NODE_TEXT_MOST])
{
    const uint64_t *totals = page_tree_totals(&text->tree, node);
    uint64_t left_out[PAGE_SUMS];
    page_tree_left_out(&text->tree, node, left_out);
    size_t size = (size_t)snprintf(
        into, NODE_TEXT_MOST, "\"value\":%" PRIu64 ",\"self\":%" PRIu64 ",\"left_out\":%" PRIu64,
        totals[PAGE_SUM_VALUE], page_tree_own(&text->tree, node)[PAGE_SUM_VALUE],
        left_out[PAGE_SUM_VALUE]);
    for (size_t i = 0; i < COLUMNS; i++)
        size += (size_t)snprintf(into + size, NODE_TEXT_MOST - size, ",\"%s\":%" PRIu64,
                                 columns[i].key, totals[columns[i].sum]);
    return size + (size_t)snprintf(into + size, NODE_TEXT_MOST - size, ",\"frames\":[");
}

size_t tree_form_open(const struct tree_text *text, uint32_t node, char into[NODE_TEXT_MOST])
{
    const uint64_t *totals = page_tree_totals(&text->tree, node);
    if (text->wish.form == TREE_OURS)
        return open_ours(text, node, into);
    return (size_t)snprintf(into, NODE_TEXT_MOST,
                            "\"value\":%" PRIu64 ",\"cacheValue\":%" PRIu64 ",\"frames\":[",
                            totals[PAGE_SUM_VALUE], totals[PAGE_SUM_CACHE]);
}

static size_t write_special(const char *name, const uint64_t *sums, char *into, size_t room)
{
    if (!sums[PAGE_SUM_VALUE])
        return 0;
    return (size_t)snprintf(into, room,
                            ",{\"name\":\"%s\",\"value\":%" PRIu64 ",\"cacheValue\":%" PRIu64 "}",
                            name, sums[PAGE_SUM_VALUE], sums[PAGE_SUM_CACHE]);
}

size_t tree_form_close(const struct tree_text *text, uint32_t node, char into[NODE_TEXT_MOST])
{
    uint64_t left_out[PAGE_SUMS];
    size_t size = 0;
    if (text->wish.form == TREE_COMPATIBLE && text->tree.nodes.items[node].child_count) {
        page_tree_left_out(&text->tree, node, left_out);
        size = write_special("underThreshold", left_out, into, NODE_TEXT_MOST);
        size += write_special("unknown", page_tree_own(&text->tree, node), into + size,
                              NODE_TEXT_MOST - size);
    }
    return size + (size_t)snprintf(into + size, NODE_TEXT_MOST - size, "]}");
}
