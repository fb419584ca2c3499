/* info.h - the answer of `memoir info`: what a recording has, and how reliable it is. */
#pragma once

#include "analyze/alerts/findings.h"
#include "report/text/text_style.h"

struct info {
    struct recording *recording;
    struct findings findings;
    uint64_t file_bytes;
    uint64_t now_unix_ns; /* to tell the age of a recording that is being written */
    const char *path;
};

void text_info_write(const struct info *info, const struct text_style *style, FILE *out);
int json_info_write(const struct info *info, FILE *out); /* Returns 0 or -EIO. */

/* A run of buckets of one length.  All rungs together are the ladder of a recording. */
struct rung {
    uint64_t bucket_ns; /* average length */
    uint64_t from_ns, to_ns;
    size_t buckets;
};
#define RUNGS_MAX 24
size_t info_ladder(const struct recording *recording, struct rung rungs[RUNGS_MAX]);
