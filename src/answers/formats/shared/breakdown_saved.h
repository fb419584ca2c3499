/* breakdown_saved.h - reads a breakdown that `memoir map --json` wrote: the process, the parts, the
 * totals.
 *
 * Mappings, cgroup and what runtimes reported are not read.  The input may be any bytes. */
#pragma once

#include "base/fault.h"
#include "base/slice.h"
#include "model/memory/breakdown.h"

#define SAVED_LEAVES_MAX 100000u

/* Reads into an empty breakdown, which the caller must free in any case.  Returns 0; or -EINVAL,
 * -E2BIG or -ENOMEM with a sentence that begins with `name`. */
int breakdown_saved_parse(struct slice text, const char *name, struct breakdown *breakdown,
                          struct fault *fault);
