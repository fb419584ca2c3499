/* memory_page.h - the text of `memoir map` for one process, in one call: what a service mounts
 * at /debug/memory. */
#pragma once

#include <stdio.h>

#include "process_map/snapshot.h"
#include "report/breakdown/breakdown_report.h"

/* 0 or -errno as snapshot_read, with nothing written; -EIO when `out` fails. */
int memory_page_write(uint32_t pid, const struct process_snapshot_options *options,
                      const struct breakdown_view *view, FILE *out, struct fault *fault);
