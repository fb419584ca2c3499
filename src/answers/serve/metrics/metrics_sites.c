/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "serve/metrics/metrics_families.h"

static const struct site_row {
    const char *name, *type, *unit, *help;
    size_t offset;  /* in struct site_sums */
    bool has_other; /* a counter of the rest would go down when a site is taken in */
} rows[] = {
    {"memoir_heap_site_live_bytes", "gauge", "bytes",
     "Live heap by the function that asked for it; the sum is the live heap.",
     offsetof(struct site_sums, live_bytes), true},
    {"memoir_heap_site_live_blocks", "gauge", "",
     "Live blocks by the function that asked for them.", offsetof(struct site_sums, live_blocks),
     true},
    {"memoir_heap_site_allocated_bytes_total", "counter", "bytes",
     "All bytes that a function asked for; only functions that hold or held much memory.",
     offsetof(struct site_sums, allocated_bytes), false},
    {"memoir_heap_site_allocations_total", "counter", "", "Allocations of these functions.",
     offsetof(struct site_sums, allocations), false},
};

static int64_t value_at(const struct site_sums *sums, size_t offset)
{
    return *(const int64_t *)(const void *)((const char *)sums + offset);
}

void metrics_write_sites(struct metrics_out *out, const struct site_list *sites)
{
    struct metrics_label const other = {"function", "other"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        metrics_family(out, rows[i].name, rows[i].type, rows[i].unit, rows[i].help);
        vec_each (site, &sites->sites) {
            struct metrics_label const label = {"function", site->function};
            metrics_int(out, &label, 1, value_at(&site->sums, rows[i].offset));
        }
        if (rows[i].has_other)
            metrics_int(out, &other, 1, value_at(&sites->other, rows[i].offset));
    }
}
