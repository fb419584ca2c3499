/* memory_figure.h - the figures of struct memory_bytes that users sort and compare by. */
#pragma once

#include "model/memory/memory_region.h"

enum memory_figure {
    FIGURE_RSS,
    FIGURE_PSS,
    FIGURE_PRIVATE,
    FIGURE_SHARED,
    FIGURE_SWAP,
    FIGURE_VIRTUAL,
    FIGURES /* Number of figures; also means "no such figure". */
};

/* Names of the fields of struct memory_bytes in JSON and CSV, in order: "virtual", "rss", ... */
extern const char *const memory_bytes_names[MEMORY_BYTES_FIELDS];

uint64_t memory_figure_of(const struct memory_bytes *bytes, enum memory_figure figure);
extern const char *const memory_figure_names[]; /* by enum memory_figure; ends with NULL */
const char *memory_figure_name(enum memory_figure figure); /* "rss", ... */
enum memory_figure memory_figure_find(const char *name);   /* FIGURES: none */
