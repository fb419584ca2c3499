/* breakdown_pprof.h - a breakdown as profile.proto: section, label and item are the stack, rss,
 * pss, private, swap and virtual the sample types.  `go tool pprof -diff_base` of two then shows
 * what grew. */
#pragma once

#include <stdio.h>

#include "base/fault.h"
#include "model/memory/breakdown.h"

/* gzip, as pprof's own files.  `title` names a section.  Returns 0 or -errno. */
int breakdown_pprof_write(const struct breakdown *breakdown,
                          const char *(*title)(const struct breakdown *, enum breakdown_section),
                          FILE *out, struct fault *fault);
