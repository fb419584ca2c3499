/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flame/flame_data.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/human.h"
#include "base/pair_index.h"
#include "report/flame/flame_diff.h"
#include "report/flame/flame_heat.h"

struct frame_entry {
    string_id function, module, file;
    uint32_t line;
    uint32_t inlined;
};

struct flame_writer {
    const struct flame_scene *scene;
    struct svg_out *out;
    /* of 0 and a string_id: its place in the file's list, after the empty one */
    struct pair_index strings;
    uint32_t *slots; /* open addressing over `frames`: 0, or index + 1 */
    size_t slot_mask;
    VEC(struct frame_entry) frames;
};

void flame_note(const struct flame_view *view, char *text, size_t size)
{
    char merged[HUMAN_MAX], inside[HUMAN_MAX];
    uint64_t const openable = view->merged - view->layout.hidden;
    text[0] = '\0';
    if (view->merged == 0)
        return;
    int used = snprintf(text, size, "… stands for %s frame%s too small to draw",
                        human_count((int64_t)view->merged, merged), view->merged == 1 ? "" : "s");
    if (openable && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; zooming in opens %s of them",
                 openable == view->merged ? "all" : human_count((int64_t)openable, inside));
}

unsigned flame_class(const struct flame_scene *scene, const struct call_node *node)
{
    struct palette_frame const frame = {
        node->module, recording_text(scene->recording, node->module),
        recording_text(scene->recording, node->function), node->inlined};
    return palette_class(&scene->palette, &frame);
}

unsigned flame_frame_class(const struct flame_scene *scene, const struct flame_view *view,
                           const struct flame_frame *frame)
{
    if (frame->hidden)
        return PALETTE_REST;
    return view->diff ? PALETTE_CHANGES + view->diff->nodes.items[frame->node].change
                      : flame_class(scene, &view->tree->nodes.items[frame->node]);
}

const char *flame_noun(const struct metric *metric)
{
    if (strcmp(metric->unit, "calls") == 0)
        return NULL;
    if (strcmp(metric->unit, "bytes") == 0)
        return "block";
    return metric->count_plus == COL_OFFCPU_COUNT ? "wait" : "sample";
}

static uint32_t index_string(struct flame_writer *writer, string_id id)
{
    uint32_t place;
    if (id == STRING_EMPTY)
        return 0;
    if (pair_index_find(&writer->strings, 0, id, &place) == 0)
        return place + 1;
    writer->out->failed = true;
    return 0;
}

static uint64_t hash_entry(const struct frame_entry *entry)
{
    uint64_t const names = (uint64_t)entry->function << 32 | entry->module;
    uint64_t const place = (uint64_t)entry->file << 32 | entry->line << 1 | entry->inlined;
    return hash_mix(names ^ hash_mix(place));
}

/* The number of this node's frame in the file's list; new ones are added. */
static uint32_t index_frame(struct flame_writer *writer, const struct call_node *node)
{
    struct frame_entry const entry = {node->function, node->module, node->file, node->line,
                                      node->inlined};
    size_t at = hash_entry(&entry) & writer->slot_mask;
    for (; writer->slots[at]; at = (at + 1) & writer->slot_mask) {
        if (memcmp(&writer->frames.items[writer->slots[at] - 1], &entry, sizeof(entry)) == 0)
            return writer->slots[at] - 1;
    }
    if (!vec_push(&writer->frames, entry)) {
        writer->out->failed = true;
        return 0;
    }
    writer->slots[at] = (uint32_t)writer->frames.count;
    return writer->slots[at] - 1;
}

static uint32_t index_any_frame(void *context, const struct call_node *node)
{
    return index_frame(context, node);
}

static void write_nodes(struct flame_writer *writer, const struct flame_view *view)
{
    const char *comma = "";
    vec_each (frame, &view->layout.frames) {
        svg_raw(writer->out, comma);
        comma = ",";
        svg_int(writer->out, frame->hidden
                                 ? -(int64_t)frame->hidden
                                 : index_frame(writer, &view->tree->nodes.items[frame->node]));
        svg_bytes(writer->out, ",", 1);
        svg_int(writer->out, frame->depth);
        svg_bytes(writer->out, ",", 1);
        svg_int(writer->out, frame->value);
        svg_bytes(writer->out, ",", 1);
        svg_int(writer->out, frame->count);
    }
}

static void write_trees(struct flame_writer *writer)
{
    svg_raw(writer->out, ",\n\"trees\":[");
    for (size_t i = 0; i < 2; i++) {
        svg_raw(writer->out, i ? ",\n{\"nodes\":[" : "{\"nodes\":[");
        write_nodes(writer, &writer->scene->views[i]);
        svg_raw(writer->out, "]");
        if (writer->scene->views[i].diff &&
            flame_changes_write(&writer->scene->views[i], writer->out))
            writer->out->failed = true;
        svg_raw(writer->out, "}");
    }
    svg_raw(writer->out, "]");
}

static void write_frames(struct flame_writer *writer)
{
    const struct flame_scene *scene = writer->scene;
    const char *comma = "";
    svg_raw(writer->out, ",\n\"frames\":[");
    vec_each (frame, &writer->frames) {
        struct call_node const node = {
            .function = frame->function, .module = frame->module, .inlined = frame->inlined};
        unsigned const class = flame_class(scene, &node);
        uint32_t const function = index_string(writer, frame->function);
        uint32_t const module = index_string(writer, frame->module);
        svg_format(writer->out, "%s%u,%u,%u,%u,%u,%u", comma, function, module,
                   index_string(writer, frame->file), frame->line, frame->inlined, class);
        comma = ",";
    }
    svg_raw(writer->out, "],\n\"strings\":[\"\"");
    vec_each (pair, &writer->strings.pairs) {
        svg_raw(writer->out, ",");
        svg_json(writer->out, recording_text(scene->recording, pair_second(*pair)));
    }
    svg_raw(writer->out, "]");
}

int flame_data_write(const struct flame_scene *scene, struct svg_out *out)
{
    struct flame_writer writer = {.scene = scene, .out = out};
    const char *noun = flame_noun(scene->weights->metric);
    size_t room = 16;
    size_t const most = scene->views[0].layout.frames.count + scene->views[1].layout.frames.count +
                        (scene->options->heat ? scene->options->heat->kept.count : 0);
    while (room < 2 * most)
        room *= 2;
    writer.slot_mask = room - 1;
    writer.slots = calloc(room, sizeof(writer.slots[0]));
    int err = writer.slots ? 0 : -ENOMEM;
    if (!err) {
        svg_raw(out, "{\"unit\":");
        svg_json(out, scene->weights->metric->unit);
        svg_raw(out, ",\"noun\":");
        svg_json(out, noun ? noun : "");
        svg_format(out, ",\"total\":%lld,\"icicle\":%s,\"reverse\":%s",
                   (long long)scene->views[scene->options->one_way && scene->options->reverse]
                       .layout.total,
                   scene->options->icicle ? "true" : "false",
                   scene->options->reverse ? "true" : "false");
        write_trees(&writer);
        if (scene->options->heat)
            flame_heat_write(scene, index_any_frame, &writer, out);
        write_frames(&writer);
        svg_raw(out, "}");
        err = out->failed ? -ENOMEM : 0;
    }
    free(writer.slots);
    pair_index_fini(&writer.strings);
    vec_free(&writer.frames);
    return err;
}
