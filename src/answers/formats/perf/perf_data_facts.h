/* perf_data_facts.h - parses the features of a perf.data, which describe the machine and the
 * file. */
#pragma once

#include "base/number_map.h"
#include "formats/perf/perf_data_events.h"
#include "model/recording.h"

#define PERF_FEATURE_BYTES_MAX ((size_t)64 << 20)

struct perf_facts {
    struct recording *recording;      /* has the texts */
    string_id release, version, arch; /* release of the kernel, version of perf, "x86_64" */
    /* build ids of files: string_id of the id, by string_id of the path */
    struct number_map build_ids;
    uint64_t wall_ns, clock_ns; /* one instant on both clocks; 0: unknown */
    uint64_t damaged;           /* number of invalid features */
};

void perf_facts_fini(struct perf_facts *facts);

/* Parses one feature; unknown ones are ignored.  Returns 0 or -ENOMEM. */
int perf_facts_parse(struct perf_facts *facts, struct perf_data_events *events, uint64_t feature,
                     struct slice body);
/* Parses an entry of the list of build ids, without its header. */
int perf_facts_build_id(struct perf_facts *facts, uint16_t misc, struct slice body);

/* Returns the build id of a file; the empty string if unknown. */
string_id perf_facts_find_build(const struct perf_facts *facts, string_id path);

/* Interns text that ends at its NUL or at the end of the slice.  The text may be invalid UTF-8: the
 * reader of the recording must handle that. */
string_id perf_text(struct recording *recording, struct slice text);
/* Interns bytes as lower-case hex; the empty string if all bytes are 0. */
string_id perf_build_text(struct recording *recording, const uint8_t *id, size_t size);
