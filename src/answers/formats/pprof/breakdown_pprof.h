/* breakdown_pprof.h - writes a breakdown as profile.proto.
 *
 * Section, label and item are the stack; rss, pss, private, swap and virtual are the sample types.
 * So `go tool pprof -diff_base` of two breakdowns shows what grew. */
#pragma once

#include <stdio.h>

#include "base/fault.h"
#include "model/memory/breakdown.h"

/* Writes gzip, like pprof.  `title` returns the name of a section.  Returns 0 or -errno. */
int breakdown_pprof_write(const struct breakdown *breakdown,
                          const char *(*title)(const struct breakdown *, enum breakdown_section),
                          FILE *out, struct fault *fault);
