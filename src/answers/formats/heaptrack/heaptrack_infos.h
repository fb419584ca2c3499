/* heaptrack_infos.h - the allocation infos of a heaptrack file: pairs (size, trace), by number.
 *
 * A pair may have a *twin* with another number.  Readers recognise a temporary block only by the
 * number of its info, so two equal blocks that are not temporary need two numbers.
 *
 * Numbers are given in the order in which infos are first allocated; infos that are only freed
 * follow.  heaptrack_gui expects this, and crashes otherwise.  So events are processed twice: first
 * to number the infos; then all infos are written, then the events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "formats/shared/output.h"

struct heaptrack_info {
    uint64_t size;
    uint32_t trace;
    uint32_t number; /* number in the file plus one; 0: none yet */
};

struct heaptrack_infos { /* all zero to begin */
    /* hash table with open addressing; size a power of two, at most half full */
    struct info_slot *slots;
    size_t room;
    VEC(struct heaptrack_info) infos;
    uint32_t numbered;
    uint32_t first; /* info with number 0 */
};

void heaptrack_infos_fini(struct heaptrack_infos *infos);

/* Returns the info of (size, trace), which is added if it is new; 0 when out of memory.  `twin` is
 * 0 or 1. */
uint32_t heaptrack_info(struct heaptrack_infos *infos, uint64_t size, uint32_t trace,
                        uint32_t twin);

/* First pass: this info is allocated next. */
void heaptrack_info_allocated(struct heaptrack_infos *infos, uint32_t info);
/* After the first pass: numbers the other infos, and writes all infos.  Returns 0 or -ENOMEM. */
int heaptrack_infos_write(struct heaptrack_infos *infos, struct output *out);

/* Second pass: returns the number of an info.  If nothing was allocated since the last free,
 * readers take a free of number 0 for the free of a temporary block; so `lasting` frees use another
 * number. */
uint32_t heaptrack_info_number(const struct heaptrack_infos *infos, uint32_t info, bool lasting);
