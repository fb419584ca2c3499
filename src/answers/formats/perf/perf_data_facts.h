/* perf_data_facts.h - what a perf.data tells about the machine and itself: its features. */
#pragma once

#include "base/number_map.h"
#include "formats/perf/perf_data_events.h"
#include "model/recording.h"

#define PERF_FEATURE_BYTES_MAX ((size_t)64 << 20)

struct perf_facts {
    struct recording *recording;      /* whose texts these are */
    string_id release, version, arch; /* of the kernel, of perf; "x86_64" */
    struct number_map build_ids;      /* of files, by path: string_id by string_id */
    uint64_t wall_ns, clock_ns;       /* one instant on both clocks; 0 unknown */
    uint64_t damaged;                 /* features that make no sense */
};

void perf_facts_fini(struct perf_facts *facts);

/* One feature; those not known are left alone.  Returns 0 or -ENOMEM. */
int perf_facts_parse(struct perf_facts *facts, struct perf_data_events *events, uint64_t feature,
                     struct slice body);
/* An entry of the list of build ids, without its header. */
int perf_facts_build_id(struct perf_facts *facts, uint16_t misc, struct slice body);

/* Empty when it is not told. */
string_id perf_facts_find_build(const struct perf_facts *facts, string_id path);

/* Interns text that ends at its NUL or at the end of the slice; what is no UTF-8 is the reader's
 * problem. */
string_id perf_text(struct recording *recording, struct slice text);
/* Bytes as lower-case hex; empty when they are all 0. */
string_id perf_build_text(struct recording *recording, const uint8_t *id, size_t size);
