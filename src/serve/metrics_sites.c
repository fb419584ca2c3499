/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "serve/metrics_families.h"

static const struct row {
    const char *name, *type, *unit, *help;
    size_t offset; /* in struct site */
    size_t
        other_offset; /* in struct site_list; 0: a counter of the rest would go down when a site is taken in */
} rows[] = {
    {"memoir_heap_site_live_bytes", "gauge", "bytes",
     "Live heap by the function that asked for it; the sum is memoir_heap_live_bytes.",
     offsetof(struct site, live_bytes), offsetof(struct site_list, other_bytes)},
    {"memoir_heap_site_live_blocks", "gauge", "",
     "Live blocks by the function that asked for them.", offsetof(struct site, live_blocks),
     offsetof(struct site_list, other_blocks)},
    {"memoir_heap_site_allocated_bytes_total", "counter", "bytes",
     "All bytes a function ever asked for; only of those that hold or held much.",
     offsetof(struct site, allocated_bytes), 0},
    {"memoir_heap_site_allocations_total", "counter", "", "The allocations of these.",
     offsetof(struct site, allocations), 0},
};

static int64_t value_at(const void *from, size_t offset)
{
    return *(const int64_t *)(const void *)((const char *)from + offset);
}

void metrics_write_sites(struct metrics_out *out, const struct site_list *sites)
{
    struct metrics_label const other = {"function", "other"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        metrics_family(out, rows[i].name, rows[i].type, rows[i].unit, rows[i].help);
        vec_each (site, &sites->sites) {
            const struct metrics_label labels[] = {{"function", site->function},
                                                   {"module", site->module}};
            metrics_int(out, labels, 2, value_at(site, rows[i].offset));
        }
        if (rows[i].other_offset)
            metrics_int(out, &other, 1, value_at(sites, rows[i].other_offset));
    }
}
