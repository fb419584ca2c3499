/* metrics_families.h - writes the families of /metrics, with one function per source of numbers.
 * docs/metrics.md lists the families. */
#pragma once

#include "serve/metrics/metrics_state.h"
#include "serve/targets/target.h"

/* Write the numbers of /proc/PID/status, and those of a look at all memory of the process. */
void metrics_write_process(struct metrics_out *out, const struct memory_status *memory,
                           uint64_t address_limit, uint64_t began_unix_ns);
void metrics_write_memory(struct metrics_out *out, const struct memory_look *look);

/* Write the numbers of a recording: heap, mappings, pools; its cost; its reliability. */
void metrics_write_heap(struct metrics_out *out, const struct recording *recording,
                        const struct running *running);
void metrics_write_sites(struct metrics_out *out, const struct site_list *sites);
/* Judges the growth again, unless it was judged lately.  `limit_bytes` is the memory limit; 0: as
 * recorded. */
void growth_state_refresh(struct growth_state *state, struct recording *recording,
                          int64_t limit_bytes);
void metrics_write_growth(struct metrics_out *out, const struct growth_state *state);
void metrics_write_quality(struct metrics_out *out, const struct recording *recording,
                           uint64_t now_unix_ns);
