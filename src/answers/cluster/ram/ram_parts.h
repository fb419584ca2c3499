/* ram_parts.h - inside ram: the sources of its numbers. */
#pragma once

#include "cluster/ram/ram.h"
#include "cluster/ram/ram_files.h"
#include "cluster/metrics/series.h"

struct ram_size {
    uint32_t node; /* of those asked for */
    struct size_line line;
};
struct ram_sizes { /* from all NICK.heap.csv */
    VEC(struct ram_size) points;
    bool has_rss, has_vsz, has_pss, has_swap;
};

/* A metric of a node, and the column of its values. */
struct ram_metric {
    uint32_t node;      /* of those asked for */
    const char *column; /* NULL: the metric is the height */
    size_t column_size;
    const char *metric;
    unsigned rank; /* if a column has two metrics, the one with the lower rank is used */
};
struct ram_metrics {
    VEC(struct ram_metric) wanted;
    VEC(const char *) names; /* names of the metrics, each once */
    struct series_set set;
    bool is_read;
};

int64_t *ram_place(const struct ram *ram, size_t node, size_t column, size_t stamp);
int64_t ram_stamp_find(const struct ram *ram, int64_t stamp_us);

/* Each returns 0 or -errno. */
int ram_read_sizes(struct ram *ram, struct ram_sizes *sizes);
int ram_read_metrics(struct ram *ram, struct ram_metrics *metrics, struct fault *fault);
int ram_make_columns(struct ram *ram, const struct ram_metrics *metrics,
                     const struct ram_sizes *sizes);
int ram_fill_heaps(struct ram *ram, struct fault *fault);
void ram_fill_metrics(struct ram *ram, const struct ram_metrics *metrics);
void ram_fill_sizes(struct ram *ram, const struct ram_sizes *sizes);
void ram_fill_rounds(struct ram *ram); /* from blockinfo, which has priority over metrics */
void ram_metrics_fini(struct ram_metrics *metrics);
