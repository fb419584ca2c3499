/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/heaptrack_reader_raw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct raw_frame_slot {
    uint64_t address;
    uint32_t module;
    uint32_t frame; /* plus one; 0: empty */
};

void heaptrack_raw_fini(struct heaptrack_raw *raw)
{
    vec_free(&raw->segments);
    free(raw->slots);
}

/* Modules are listed anew after each dlopen: the same file at the same place is the same row. */
static int find_module(struct heaptrack_raw *raw, struct module wanted, uint32_t *index)
{
    struct recording *recording = raw->recording;
    vec_each (module, &recording->modules) {
        if (module->path == wanted.path && module->bias == wanted.bias) {
            *index = (uint32_t)(module - recording->modules.items);
            return 0;
        }
    }
    *index = (uint32_t)recording->modules.count;
    return vec_push(&recording->modules, wanted) ? 0 : -ENOMEM;
}

static int add_segment(struct heaptrack_raw *raw, struct heaptrack_segment segment)
{
    struct module *module = &raw->recording->modules.items[segment.module];
    if (segment.end <= segment.start || raw->segments.count >= HEAPTRACK_SEGMENTS_MAX)
        return -EINVAL;
    if (module->end == 0 || segment.start < module->start)
        module->start = segment.start;
    if (segment.end > module->end)
        module->end = segment.end;
    return vec_push(&raw->segments, segment) ? 0 : -ENOMEM;
}

static int add_segments(struct heaptrack_raw *raw, uint32_t index, struct heaptrack_fields *fields)
{
    uint64_t const bias = raw->recording->modules.items[index].bias;
    uint64_t address, bytes;
    int err = 0;
    while (fields->at < fields->end && err == 0) {
        if (!heaptrack_parse_number(fields, &address) || !heaptrack_parse_number(fields, &bytes))
            return -EINVAL;
        err = add_segment(
            raw, (struct heaptrack_segment){bias + address, bias + address + bytes, index});
    }
    return err;
}

int heaptrack_raw_module(struct heaptrack_raw *raw, struct slice name,
                         struct heaptrack_fields *fields)
{
    struct module wanted = {.path = raw->executable};
    uint32_t index;
    raw->segments_in_order = false;
    if (slice_equals(name, slice_of("-"))) {
        raw->segments.count = 0;
        return 0;
    }
    if (raw->recording->modules.count >= HEAPTRACK_MODULES_MAX)
        return -EINVAL;
    if (!slice_equals(name, slice_of("x")) &&
        string_table_intern(raw->recording->strings, name, &wanted.path) < 0)
        return -ENOMEM;
    if (!heaptrack_parse_number(fields, &wanted.bias))
        return -EINVAL;
    int err = find_module(raw, wanted, &index);
    return err < 0 ? err : add_segments(raw, index, fields);
}

static int compare_starts(const void *left, const void *right)
{
    const struct heaptrack_segment *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static uint32_t module_at(struct heaptrack_raw *raw, uint64_t address)
{
    if (!raw->segments_in_order && raw->segments.count > 1)
        qsort(raw->segments.items, raw->segments.count, sizeof(struct heaptrack_segment),
              compare_starts);
    raw->segments_in_order = true;
    /* the last one that starts at or before the address */
    size_t const at = vec_lower_bound(&raw->segments, segment, segment->start <= address);
    if (at == 0 || address >= raw->segments.items[at - 1].end)
        return MODULE_NONE;
    return raw->segments.items[at - 1].module;
}

static struct raw_frame_slot *find_slot(const struct heaptrack_raw *raw, uint64_t address,
                                        uint32_t module)
{
    size_t at = hash_mix(address ^ (uint64_t)module << 48) & (raw->slot_room - 1);
    while (raw->slots[at].frame &&
           (raw->slots[at].address != address || raw->slots[at].module != module))
        at = (at + 1) & (raw->slot_room - 1);
    return &raw->slots[at];
}

static int grow_slots(struct heaptrack_raw *raw)
{
    struct raw_frame_slot *old = raw->slots;
    size_t const old_room = raw->slot_room, room = old_room ? 2 * old_room : 1024;
    struct raw_frame_slot *grown = calloc(room, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    raw->slots = grown;
    raw->slot_room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].frame)
            *find_slot(raw, old[i].address, old[i].module) = old[i];
    free(old);
    return 0;
}

int heaptrack_raw_frame(struct heaptrack_raw *raw, uint64_t address, uint32_t *frame)
{
    struct recording *recording = raw->recording;
    uint32_t const module = module_at(raw, address);
    if (2 * raw->frame_count >= raw->slot_room && grow_slots(raw) < 0)
        return -ENOMEM;
    struct raw_frame_slot *slot = find_slot(raw, address, module);
    if (slot->frame == 0) {
        uint64_t bias = module == MODULE_NONE ? 0 : recording->modules.items[module].bias;
        if (!vec_push(&recording->frames,
                      (struct frame){.module = module, .address = address - bias}))
            return -ENOMEM;
        *slot = (struct raw_frame_slot){address, module, (uint32_t)recording->frames.count};
        raw->frame_count++;
    }
    *frame = slot->frame - 1;
    return 0;
}
