/* map_look.h - all mappings of a process, read again now and then.
 *
 * Clients that draw the mappings ask often, and reading them makes the process wait a little
 * (process_map/snapshot.h).  So a result is reused for a second, and for a hundred times as long as
 * it took to read. */
#pragma once

#include "process_map/snapshot.h"

struct map_look;

/* Returns each mapping, sorted by the rules; reads them again if the last result is too old or of
 * another process.  Valid until the next call.  Returns NULL with a sentence, and with the error of
 * snapshot_read in *err.  Creates *look if it is NULL. */
const struct breakdown *map_look_refresh(struct map_look **look, uint32_t pid,
                                         const struct sort_rules *rules, int *err,
                                         struct fault *fault);
void map_look_destroy(struct map_look *look); /* NULL is allowed */
