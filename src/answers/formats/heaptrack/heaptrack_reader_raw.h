/* heaptrack_reader_raw.h - what only raw heaptrack files have: modules and where they were mapped,
 * addresses to be placed in them, pointers. */
#pragma once

#include "formats/heaptrack/heaptrack_fields.h"
#include "model/recording.h"

#define HEAPTRACK_MODULES_MAX  4096
#define HEAPTRACK_SEGMENTS_MAX 65536

struct heaptrack_segment {
    uint64_t start, end;
    uint32_t module;
};

struct heaptrack_raw {
    struct recording *recording;
    string_id executable;
    VEC(struct heaptrack_segment) segments; /* mapped now */
    bool segments_in_order;
    struct raw_frame_slot *slots; /* frames by address and module: open addressing, half full */
    size_t slot_room, frame_count;
};

void heaptrack_raw_fini(struct heaptrack_raw *raw);

/* The name and the further fields of an `m` line.  Returns 0, -EINVAL for a damaged one,
 * -ENOMEM. */
int heaptrack_raw_module(struct heaptrack_raw *raw, struct slice name,
                         struct heaptrack_fields *fields);

/* The row of the recording for an address, made when it is new.  Returns 0 or -ENOMEM. */
int heaptrack_raw_frame(struct heaptrack_raw *raw, uint64_t address, uint32_t *frame);
