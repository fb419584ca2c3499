/* metrics_families.h - what is in /metrics, one function per source of numbers.  docs/metrics.md
 * lists them all. */
#pragma once

#include "serve/metrics/metrics_state.h"
#include "serve/targets/target.h"

/* What /proc/PID/status says of the process, and a look at all its memory. */
void metrics_write_process(struct metrics_out *out, const struct memory_status *memory,
                           uint64_t address_limit, uint64_t began_unix_ns);
void metrics_write_memory(struct metrics_out *out, const struct memory_look *look);

/* The recording: the heap, mappings, pools; what it cost; how far it can be trusted. */
void metrics_write_heap(struct metrics_out *out, const struct recording *recording,
                        const struct running *running);
void metrics_write_sites(struct metrics_out *out, const struct site_list *sites);
/* Judges again, unless that was lately.  `limit_bytes`: what it must not reach; 0: what the
 * recording knows. */
void growth_state_refresh(struct growth_state *state, struct recording *recording,
                          int64_t limit_bytes);
void metrics_write_growth(struct metrics_out *out, const struct growth_state *state);
void metrics_write_quality(struct metrics_out *out, const struct recording *recording,
                           uint64_t now_unix_ns);
