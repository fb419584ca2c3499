/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/run_manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_in.h"
#include "base/json_out.h"
#include "scrape/nodes/node_class.h"

#define MANIFEST_MAX ((size_t)64 << 20)

typedef VEC(struct slice) raw_list;

struct run_manifest {
    struct run_writer *writer;
    char *text;                        /* of the old one */
    raw_list segments, nodes, classes; /* parts of it */
};

/* Every item of an array, as it is written. */
static void parse_items(struct json_in *json, raw_list *list)
{
    for (json_in_array(json); json_in_item(json);) {
        const char *begin = json->text.data;
        if (!json_in_skip(json) ||
            !vec_push(list, (struct slice){begin, (size_t)(json->text.data - begin)}))
            return;
    }
}

static bool parse_old(struct run_manifest *manifest, struct slice text)
{
    struct json_in json = {.text = text};
    char key[32];

    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));)
        if (strcmp(key, "segments") == 0)
            parse_items(&json, &manifest->segments);
        else if (strcmp(key, "nodes") == 0)
            parse_items(&json, &manifest->nodes);
        else if (strcmp(key, "classes") == 0)
            parse_items(&json, &manifest->classes);
        else
            json_in_skip(&json);
    return !json.failed;
}

static char *read_whole(int folder, const char *name, size_t *size)
{
    struct stat stat;
    int const fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    char *text = NULL;

    if (fd >= 0 && fstat(fd, &stat) == 0 && stat.st_size > 0 &&
        (size_t)stat.st_size <= MANIFEST_MAX && (text = malloc((size_t)stat.st_size))) {
        ssize_t const got = pread(fd, text, (size_t)stat.st_size, 0);
        *size = got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    return text;
}

struct run_manifest *run_manifest_create(struct run_writer *writer)
{
    struct run_manifest *manifest = calloc(1, sizeof(*manifest));
    int const folder = run_writer_folder(writer);
    size_t size = 0;

    if (!manifest)
        return NULL;
    manifest->writer = writer;
    manifest->text = read_whole(folder, "manifest.json", &size);
    if (manifest->text && !parse_old(manifest, (struct slice){manifest->text, size})) {
        manifest->segments.count = manifest->nodes.count = manifest->classes.count = 0;
        renameat(folder, "manifest.json", folder, "manifest.json.old");
    }
    return manifest;
}

void run_manifest_destroy(struct run_manifest *manifest)
{
    if (!manifest)
        return;
    vec_free(&manifest->segments);
    vec_free(&manifest->nodes);
    vec_free(&manifest->classes);
    free(manifest->text);
    free(manifest);
}

/* What an old item says its key is. */
static void item_name(struct slice item, const char *wanted, char out[256])
{
    struct json_in json = {.text = item};
    char key[32];

    out[0] = '\0';
    for (json_in_object(&json); json_in_key(&json, key, sizeof(key));)
        if (strcmp(key, wanted) == 0)
            json_in_text(&json, out, 256);
        else
            json_in_skip(&json);
}

static void write_captures(struct json_out *json, uint32_t captures)
{
    json_key(json, "captures");
    json_array_begin(json);
    for (unsigned i = 0; node_capture_name(i); i++)
        if (captures & 1u << i)
            json_text(json, node_capture_name(i));
    json_array_end(json);
}

static void write_segment(FILE *file, const struct run_segment *segment)
{
    struct json_out json;

    json_init(&json, file, false);
    json_object_begin(&json);
    json_text_field(&json, "memoir", MEMOIR_VERSION);
    json_text_field(&json, "command", segment->command);
    json_uint_field(&json, "begin_us", segment->begin_us);
    json_uint_field(&json, "end_us", segment->end_us);
    json_text_field(&json, "ended", segment->why);
    json_uint_field(&json, "every_ns", segment->every_ns);
    json_uint_field(&json, "for_ns", segment->for_ns);
    json_uint_field(&json, "timeout_ms", segment->timeout_ms);
    json_uint_field(&json, "cpu_ns", segment->cpu_ns);
    json_uint_field(&json, "cpu_after_ns", segment->cpu_after_ns);
    json_uint_field(&json, "rounds", segment->rounds);
    write_captures(&json, segment->captures);
    json_uint_field(&json, "ticks", segment->ticks);
    json_uint_field(&json, "ticks_dropped", segment->ticks_dropped);
    json_uint_field(&json, "fetches", segment->fetches);
    json_uint_field(&json, "gaps", segment->gaps);
    json_object_end(&json);
}

static void write_node(FILE *file, const struct node *node)
{
    struct json_out json;

    json_init(&json, file, false);
    json_object_begin(&json);
    json_text_field(&json, "nick", node->nick);
    json_text_field(&json, "name", node->name);
    json_text_field(&json, "role", node->role ? node->role : "");
    json_text_field(&json, "class", node->class ? node->class->name : "");
    json_text_field(&json, "address", node->base_url);
    json_bool_field(&json, "local", node->has_process);
    json_object_end(&json);
}

static void write_class(FILE *file, const struct node_class *class)
{
    struct json_out json;
    json_init(&json, file, false);
    node_class_write(&json, class);
}

static bool list_has_nick(const struct node_list *list, const char *nick)
{
    for (size_t i = 0; i < list->nodes.count; i++)
        if (strcmp(list->nodes.items[i]->nick, nick) == 0)
            return true;
    return false;
}

static bool list_uses_class(const struct node_list *list, const char *name)
{
    for (size_t i = 0; i < list->nodes.count; i++)
        if (list->nodes.items[i]->class && strcmp(list->nodes.items[i]->class->name, name) == 0)
            return true;
    return false;
}

struct writing {
    const struct run_manifest *manifest;
    const struct node_list *list;
    const struct run_segment *segment;
};

/* The next item of an array is somebody else's to write, on one line. */
static FILE *begin_item(struct json_out *json)
{
    json_raw(json, "", 0);
    return json->file;
}

static void write_nodes(struct json_out *json, const struct writing *writing)
{
    char nick[256];

    vec_each (node, &writing->list->nodes)
        write_node(begin_item(json), *node);
    vec_each (item, &writing->manifest->nodes) {
        item_name(*item, "nick", nick);
        if (!list_has_nick(writing->list, nick))
            json_raw(json, item->data, item->size);
    }
}

static void write_classes(struct json_out *json, const struct writing *writing)
{
    char name[256];

    vec_each (class, &writing->list->classes)
        if (list_uses_class(writing->list, (*class)->name) &&
            node_class_find(writing->list, (*class)->name) == *class)
            write_class(begin_item(json), *class);
    vec_each (item, &writing->manifest->classes) {
        item_name(*item, "name", name);
        if (!list_uses_class(writing->list, name))
            json_raw(json, item->data, item->size);
    }
}

static void write_manifest(FILE *file, void *context)
{
    const struct writing *writing = context;
    struct json_out json;

    json_init(&json, file, true);
    json_object_begin(&json);
    json_int_field(&json, "format", RUN_MANIFEST_FORMAT);
    json_key(&json, "segments");
    json_array_begin(&json);
    vec_each (item, &writing->manifest->segments)
        json_raw(&json, item->data, item->size);
    write_segment(begin_item(&json), writing->segment);
    json_array_end(&json);
    json_key(&json, "nodes");
    json_array_begin(&json);
    write_nodes(&json, writing);
    json_array_end(&json);
    json_key(&json, "classes");
    json_array_begin(&json);
    write_classes(&json, writing);
    json_array_end(&json);
    json_object_end(&json);
    (void)json_finish(&json); /* its error is the file's, and found at the close */
}

int run_manifest_write(struct run_manifest *manifest, const struct node_list *list,
                       const struct run_segment *segment)
{
    struct writing writing = {manifest, list, segment};
    return run_writer_replace(manifest->writer, "manifest.json", write_manifest, &writing);
}
