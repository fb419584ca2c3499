/* flame_palette.h - the colour of a frame.  The colour depends only on names, so a program looks
 * the same in every picture.
 *
 * A colour is a class, with one tone for light pages and one for dark pages.  Light tones are light
 * enough for dark text, and dark tones dark enough for light text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/diff/diff_noise.h"
#include "base/vec.h"
#include "report/pictures/svg_out.h"

enum flame_colors {
    FLAME_BY_MODULE, /* a hue per module, a shade per function */
    FLAME_HOT,       /* reds to yellows, by function */
    FLAME_MEM,       /* greens, by function */
    FLAME_BY_KIND,   /* kernel, compiled while it ran, inlined, C++, other code, waits */
};

#define PALETTE_HUES    12
#define PALETTE_SHADES  3
#define PALETTE_UNKNOWN (PALETTE_HUES * PALETTE_SHADES) /* no module: grey */
#define PALETTE_REST    (PALETTE_UNKNOWN + 1)           /* a remainder "…" */
#define PALETTE_KERNEL  (PALETTE_REST + 1)
#define PALETTE_JIT     (PALETTE_KERNEL + 1)
#define PALETTE_INLINED (PALETTE_JIT + 1) /* this and the next two: FLAME_BY_KIND only */
#define PALETTE_CPLUS   (PALETTE_INLINED + 1)
#define PALETTE_CODE    (PALETTE_CPLUS + 1)
#define PALETTE_WAIT_0  (PALETTE_CODE + 1) /* by kind of wait */
#define PALETTE_WAITS   10
#define PALETTE_CHANGES                                                                            \
    (PALETTE_WAIT_0 + PALETTE_WAITS) /* of a differential graph: enum diff_change */

#define PALETTE_CLASSES (PALETTE_CHANGES + CHANGE_KINDS)

struct palette_module {
    uint32_t name; /* a number that identifies the module, such as its string_id */
    uint64_t hash; /* hash of the path, which the hue depends on */
    int64_t weight;
    unsigned hue;
};

struct palette {
    enum flame_colors colors;
    VEC(struct palette_module) modules; /* heaviest first */
};

/* Sorts palette->modules and gives each module its hue.  Hue 0 is for the module with hash
 * `program_hash`.  Two heavy modules have the same hue only if no hue is free. */
void palette_assign(struct palette *palette, uint64_t program_hash);

struct palette_frame {
    uint32_t module_name; /* 0: unknown */
    const char *module_path, *function;
    bool inlined;
};
/* Returns the class of a frame.  Frames of the kernel, waits, and code compiled at run time have
 * their own classes in FLAME_BY_MODULE, too. */
unsigned palette_class(const struct palette *palette, const struct palette_frame *frame);

/* Names in the legend, for classes that are no hue of a module. */
struct palette_kind {
    const char *name;
    unsigned class;
};
extern const struct palette_kind palette_kinds[]; /* ends with a NULL name */

/* Writes CSS rules ".c0{fill:#…}" for all classes; those for dark pages in a media query. */
void palette_write_css(const struct palette *palette, struct svg_out *out);
void palette_fini(struct palette *palette);
