/* SPDX-License-Identifier: Apache-2.0 */
#include "runtimes/java_counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX    (1u << 20)
#define ENTRIES_MAX 65536u
#define NAME_MAX_   128u

static bool parse_u32(struct slice bytes, uint64_t offset, uint32_t *value)
{
    if (bytes.size < sizeof(*value) || offset > bytes.size - sizeof(*value))
        return false;
    memcpy(value, bytes.data + offset, sizeof(*value));
    return true;
}

static bool parse_u64(struct slice bytes, uint64_t offset, uint64_t *value)
{
    if (bytes.size < sizeof(*value) || offset > bytes.size - sizeof(*value))
        return false;
    memcpy(value, bytes.data + offset, sizeof(*value));
    return true;
}

static bool ends_with(const char *name, const char *end)
{
    size_t const size = strlen(name), length = strlen(end);
    return size >= length && strcmp(name + size - length, end) == 0;
}

static void add_counter(struct java_counters *counters, const char *name, uint64_t value)
{
    if (strncmp(name, "sun.gc.generation.", 18) == 0 && strstr(name, ".space.")) {
        counters->heap_used += ends_with(name, ".used") ? value : 0;
        counters->heap_capacity += ends_with(name, ".capacity") ? value : 0;
    } else if (strcmp(name, "sun.gc.metaspace.used") == 0) {
        counters->metaspace_used = value;
    } else if (strcmp(name, "sun.gc.metaspace.capacity") == 0) {
        counters->metaspace_capacity = value;
    } else if (strcmp(name, "sun.gc.compressedclassspace.used") == 0) {
        counters->class_space_used = value;
    } else if (strncmp(name, "sun.gc.collector.", 17) == 0 && ends_with(name, ".invocations")) {
        counters->collections += value;
    } else if (strcmp(name, "java.threads.live") == 0) {
        counters->threads = value;
    } else if (strncmp(name, "sun.gc.generation.", 18) == 0 && ends_with(name, ".maxCapacity")) {
        counters->heap_max = value > counters->heap_max ? value : counters->heap_max;
    }
}

/* entry:  0 length   4 name offset   8 elements   12 u8 type   13 flags   14 unit   15
 *                    variability   16 data offset */
static bool parse_entry(struct java_counters *counters, struct slice bytes, uint64_t *at)
{
    uint32_t length, name_at, elements, data_at;
    uint64_t value;
    char name[NAME_MAX_];
    if (!parse_u32(bytes, *at, &length) || length < 20 || !parse_u32(bytes, *at + 4, &name_at) ||
        !parse_u32(bytes, *at + 8, &elements) || !parse_u32(bytes, *at + 16, &data_at) ||
        *at + length > bytes.size || name_at >= length)
        return false;
    const char *text = bytes.data + *at + name_at;
    size_t const room = length - name_at;
    bool const is_long = bytes.data[*at + 12] == 'J' && elements == 0;
    snprintf(name, sizeof(name), "%.*s", (int)strnlen(text, room), text);
    if (is_long && data_at <= length && parse_u64(bytes, *at + data_at, &value))
        add_counter(counters, name, value);
    *at += length;
    return true;
}

/* head:  0 magic ca fe c0 c0   4 u8 byte order, 1 little   5 version   7 u8 ready   24 first
 *                              entry   28 entries */
int java_counters_parse(struct java_counters *counters, struct slice bytes)
{
    uint32_t first, count;
    *counters = (struct java_counters){0};
    if (bytes.size < 32 || memcmp(bytes.data, "\xca\xfe\xc0\xc0", 4) != 0 || bytes.data[4] != 1 ||
        !parse_u32(bytes, 24, &first) || !parse_u32(bytes, 28, &count))
        return -EINVAL;
    uint64_t at = first;
    for (uint32_t i = 0; i < count && i < ENTRIES_MAX && parse_entry(counters, bytes, &at); i++)
        ;
    return counters->heap_capacity ? 0 : -EINVAL;
}

static void show(const struct java_counters *counters, struct inside_view *view)
{
    snprintf(view->source, sizeof(view->source),
             "its performance counters (hsperfdata), as of the last collection");
    inside_bytes(view, "heap.used", counters->heap_used, "Used in the heap",
                 "sun.gc.generation.*.used");
    inside_bytes(view, "heap.capacity", counters->heap_capacity, "Committed for the heap",
                 "sun.gc.generation.*.capacity");
    inside_bytes(view, "metaspace.used", counters->metaspace_used, "Metaspace used",
                 "sun.gc.metaspace.used");
    inside_bytes(view, "metaspace.capacity", counters->metaspace_capacity, "Metaspace committed",
                 "sun.gc.metaspace.capacity");
    inside_bytes(view, "class_space.used", counters->class_space_used, "  of it classes",
                 "sun.gc.compressedclassspace.used");
    if (counters->heap_max)
        inside_bytes(view, "heap.max", counters->heap_max, "Heap at most",
                     "sun.gc.generation.*.maxCapacity");
    inside_count(view, "collections", counters->collections, "Collections so far",
                 "sun.gc.collector.*.invocations");
    inside_count(view, "threads", counters->threads, "Java threads", "java.threads.live");
}

void java_counters_look(struct breakdown *breakdown, const struct process_bytes *process)
{
    struct inside_view *view = breakdown_inside(breakdown, "Java");
    struct java_counters counters;
    bool found = false;
    vec_each (region, &breakdown->regions) {
        if (!view || found || !strstr(region->name, "/hsperfdata_") ||
            region->bytes.size > FILE_MAX)
            continue;
        size_t const size = (size_t)region->bytes.size;
        char *bytes = malloc(size);
        found = bytes && process_bytes_read_present(process, region->start, bytes, size) > 0 &&
                java_counters_parse(&counters, (struct slice){bytes, size}) == 0;
        free(bytes);
    }
    if (found)
        show(&counters, view);
    else if (view)
        snprintf(view->trouble, sizeof(view->trouble),
                 "Java's performance counters are off (-XX:-UsePerfData) or cannot be read; jcmd "
                 "%u VM.native_memory shows the memory.",
                 breakdown->pid);
}
