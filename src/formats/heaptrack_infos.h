/* heaptrack_infos.h - the allocation infos of a heaptrack file: (size, trace) pairs by number.
 *
 * A pair may have a *twin* under another number.  Readers tell a temporary block by its info number
 * alone, so two blocks alike that are not temporary need two numbers. */
#pragma once

#include <stdint.h>

#include "formats/output.h"

struct heaptrack_infos {
    struct output *out;
    struct info_slot *slots; /* open addressing, a power of two, at most half full */
    size_t room;
    uint32_t count;
};

/* Writes the reserved info 0.  0 or -ENOMEM; either way heaptrack_infos_fini ends it. */
int heaptrack_infos_begin(struct heaptrack_infos *infos, struct output *out);
void heaptrack_infos_fini(struct heaptrack_infos *infos);

/* The number of (size, trace), written as an `a` line when it is new; 0 when out of memory.
 * `twin`: 0 or 1. */
uint32_t heaptrack_info(struct heaptrack_infos *infos, uint64_t size, uint32_t trace,
                        uint32_t twin);
