/* breakdown_saved.h - a breakdown as `memoir map --json` wrote it, read back: the process, the
 * parts, the totals.
 *
 * Mappings, cgroup and what runtimes said are left out.  Any bytes may be given. */
#pragma once

#include "base/fault.h"
#include "base/slice.h"
#include "model/memory/breakdown.h"

#define SAVED_LEAVES_MAX 100000u

/* Into an empty breakdown, which the caller ends in any case.  Returns 0 or -EINVAL, -E2BIG,
 * -ENOMEM with a sentence that begins with `name`. */
int breakdown_saved_parse(struct slice text, const char *name, struct breakdown *breakdown,
                          struct fault *fault);
