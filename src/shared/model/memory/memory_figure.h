/* memory_figure.h - what of struct memory_bytes people order and compare by. */
#pragma once

#include "model/memory/memory_region.h"

enum memory_figure {
    FIGURE_RSS,
    FIGURE_PSS,
    FIGURE_PRIVATE,
    FIGURE_SHARED,
    FIGURE_SWAP,
    FIGURE_VIRTUAL,
    FIGURES /* also: no such figure */
};

/* The fields of struct memory_bytes in their order, as JSON and CSV call them: "virtual", "rss",
 * ... */
extern const char *const memory_bytes_names[MEMORY_BYTES_FIELDS];

uint64_t memory_figure_of(const struct memory_bytes *bytes, enum memory_figure figure);
extern const char *const memory_figure_names[]; /* by enum memory_figure; ends with NULL */
const char *memory_figure_name(enum memory_figure figure); /* "rss", ... */
enum memory_figure memory_figure_find(const char *name);   /* FIGURES: none */
