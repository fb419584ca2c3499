/* metrics_families.h - what is in /metrics, one function per source of numbers.  docs/metrics.md lists them all. */
#pragma once

#include "serve/metrics_state.h"
#include "serve/target.h"

/* What /proc says of the process. */
void metrics_write_process(struct metrics_out *out, const struct memory_status *memory,
                           const struct rollup *rollup, uint64_t began_unix_ns);

/* The recording: the heap, mappings, pools; what it cost; how far it can be trusted. */
void metrics_write_heap(struct metrics_out *out, const struct recording *recording,
                        const struct running *running);
void metrics_write_sites(struct metrics_out *out, const struct site_list *sites);
void metrics_write_quality(struct metrics_out *out, const struct recording *recording,
                           uint64_t now_unix_ns);
