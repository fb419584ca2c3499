/* map_look.h - all mappings of a process, looked at now and then: whoever draws them asks again
 * and again, and reading them makes the process wait a little (anatomy/snapshot.h).  So a look
 * is good for a second, and for a hundred times as long as it took. */
#pragma once

#include "process_map/snapshot.h"

struct map_look;

/* Returns the mappings as of the last look, each for itself, sorted by the rules; a new look when
 * that one is too old, or of another process.  Until the next call.  NULL with a sentence, and *err
 * as snapshot_read has it.  `*look` is made when it is NULL. */
const struct breakdown *map_look_refresh(struct map_look **look, uint32_t pid,
                                         const struct sort_rules *rules, int *err,
                                         struct fault *fault);
void map_look_destroy(struct map_look *look); /* NULL is allowed */
