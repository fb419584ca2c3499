/* flame_palette.h - the colour of a frame, decided by names alone: the same program looks the same
 * in every picture.  A colour is a class, with one tone for light and one for dark pages; all are
 * light (dark) enough for dark (light) text. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "report/svg_out.h"

enum flame_colors {
    FLAME_BY_MODULE, /* a hue per module, a shade per function */
    FLAME_HOT,       /* reds to yellows, by function */
    FLAME_MEM,       /* greens, by function */
};

#define PALETTE_HUES    12
#define PALETTE_SHADES  3
#define PALETTE_UNKNOWN (PALETTE_HUES * PALETTE_SHADES) /* no module: grey */
#define PALETTE_REST    (PALETTE_UNKNOWN + 1)           /* a remainder "…" */
#define PALETTE_CLASSES (PALETTE_REST + 1)

struct palette_module {
    uint32_t name; /* any number that names it, e.g. its string_id */
    uint64_t hash; /* of its path: what the hue comes from */
    int64_t weight;
    unsigned hue;
};

struct palette {
    enum flame_colors colors;
    VEC(struct palette_module) modules; /* by falling weight */
};

/* Gives every module of `palette->modules` its hue.  Hue 0 is for the module with hash
 * `program_hash`; two heavy modules do not share a hue while one is free.  Sorts the modules. */
void palette_assign(struct palette *palette, uint64_t program_hash);

/* The class of a function in a module (`module_name` 0: unknown). */
unsigned palette_class(const struct palette *palette, uint32_t module_name, const char *function);

/* CSS rules ".c0{fill:#…}" of all classes, dark ones in their media query. */
void palette_write_css(const struct palette *palette, struct svg_out *out);
void palette_fini(struct palette *palette);
