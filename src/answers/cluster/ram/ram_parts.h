/* ram_parts.h - inside ram: where its numbers come from. */
#pragma once

#include "cluster/ram/ram.h"
#include "cluster/ram/ram_files.h"
#include "cluster/metrics/series.h"

struct ram_size {
    uint32_t node; /* of those asked for */
    struct size_line line;
};
struct ram_sizes { /* of all NICK.heap.csv */
    VEC(struct ram_size) points;
    bool has_rss, has_vsz, has_pss, has_swap;
};

/* Which column a metric of a node goes to. */
struct ram_metric {
    uint32_t node;      /* of those asked for */
    const char *column; /* NULL: it is the height */
    size_t column_size;
    const char *metric;
    unsigned rank; /* of two metrics of a column the lower one */
};
struct ram_metrics {
    VEC(struct ram_metric) wanted;
    VEC(const char *) names; /* of them, each once */
    struct series_set set;
    bool is_read;
};

int64_t *ram_place(const struct ram *ram, size_t node, size_t column, size_t stamp);
int64_t ram_stamp_find(const struct ram *ram, int64_t stamp_us);

/* Each 0 or -errno. */
int ram_read_sizes(struct ram *ram, struct ram_sizes *sizes);
int ram_read_metrics(struct ram *ram, struct ram_metrics *metrics, struct fault *fault);
int ram_make_columns(struct ram *ram, const struct ram_metrics *metrics,
                     const struct ram_sizes *sizes);
int ram_fill_heaps(struct ram *ram, struct fault *fault);
void ram_fill_metrics(struct ram *ram, const struct ram_metrics *metrics);
void ram_fill_sizes(struct ram *ram, const struct ram_sizes *sizes);
void ram_fill_rounds(struct ram *ram); /* by blockinfo, before what metrics said */
void ram_metrics_fini(struct ram_metrics *metrics);
