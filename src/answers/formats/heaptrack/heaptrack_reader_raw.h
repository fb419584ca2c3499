/* heaptrack_reader_raw.h - what only raw heaptrack files have: modules with their mapped addresses,
 * and addresses in these modules. */
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
    VEC(struct heaptrack_segment) segments; /* currently mapped */
    bool segments_in_order;
    /* frames by address and module: hash table with open addressing, half full */
    struct raw_frame_slot *slots;
    size_t slot_room, frame_count;
};

void heaptrack_raw_fini(struct heaptrack_raw *raw);

/* Parses the name and the other fields of an `m` line.  Returns 0, -EINVAL for a damaged line, or
 * -ENOMEM. */
int heaptrack_raw_module(struct heaptrack_raw *raw, struct slice name,
                         struct heaptrack_fields *fields);

/* Finds the frame for an address, which is added if it is new.  Returns 0 or -ENOMEM. */
int heaptrack_raw_frame(struct heaptrack_raw *raw, uint64_t address, uint32_t *frame);
