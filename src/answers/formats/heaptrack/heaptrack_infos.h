/* heaptrack_infos.h - the allocation infos of a heaptrack file: (size, trace) pairs by number.
 *
 * A pair may have a *twin* under another number.  Readers tell a temporary block by its info
 * number alone, so two blocks alike that are not temporary need two numbers.
 *
 * Numbers are given in the order in which infos are first allocated, and infos that are only
 * ever freed come after them: heaptrack_gui counts on it, and crashes otherwise.  So events are
 * gone through twice: once to number the infos, then all infos are written, then the events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "formats/shared/output.h"

struct heaptrack_info {
    uint64_t size;
    uint32_t trace;
    uint32_t number; /* in the file, plus one; 0: none yet */
};

struct heaptrack_infos {     /* all zero to begin */
    struct info_slot *slots; /* open addressing, a power of two, at most half full */
    size_t room;
    VEC(struct heaptrack_info) infos;
    uint32_t numbered;
    uint32_t first; /* the info that is number 0 */
};

void heaptrack_infos_fini(struct heaptrack_infos *infos);

/* Returns the info of (size, trace); 0 when out of memory.  `twin`: 0 or 1. */
uint32_t heaptrack_info(struct heaptrack_infos *infos, uint64_t size, uint32_t trace,
                        uint32_t twin);

/* The first time: it is allocated next. */
void heaptrack_info_allocated(struct heaptrack_infos *infos, uint32_t info);
/* Numbers the rest, and writes all.  Returns 0 or -ENOMEM. */
int heaptrack_infos_write(struct heaptrack_infos *infos, struct output *out);

/* Its number, then.  Readers take a free of number 0 for that of a temporary block whenever
 * nothing was allocated since the last free; `lasting` frees have another number. */
uint32_t heaptrack_info_number(const struct heaptrack_infos *infos, uint32_t info, bool lasting);
