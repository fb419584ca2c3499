/* svg_out.h - the text of a picture as it grows: XML, JSON and numbers, written so that no name
 * from a recording can ever become markup or script.
 *
 * Names are hostile input: bytes that are no UTF-8, control characters and direction overrides come
 * out as U+FFFD.  Numbers do not depend on the locale.  Running out of memory sets `failed`, after
 * which every call does nothing; ask once at the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct svg_out {
    char *data; /* has no final NUL */
    size_t size, room;
    bool failed;
};

void svg_out_fini(struct svg_out *out); /* a zeroed svg_out is ready to write to */

/* As they are: for markup we wrote ourselves. */
void svg_raw(struct svg_out *out, const char *text);
void svg_bytes(struct svg_out *out, const char *data, size_t size);
/* Integers and our own words only; no %f (locale), no %s with foreign text. */
void svg_format(struct svg_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One number, for lists of very many. */
void svg_int(struct svg_out *out, int64_t value);

/* Foreign text as XML character data, also good inside a quoted attribute. */
void svg_text(struct svg_out *out, const char *text);
/* Like svg_text, cut to `cells` columns of a monospaced font, "…" marking the cut. */
void svg_text_cut(struct svg_out *out, const char *text, size_t cells);
/* Foreign text as a JSON string with its quotes, safe inside an XML <script> element. */
void svg_json(struct svg_out *out, const char *text);

/* A length in pixels: at most `decimals` (up to 3) digits after the point, no trailing zeros. */
void svg_px(struct svg_out *out, double value, unsigned decimals);

/* Lengths with one digit after the point: `x y` in a path, ` name="12.5"` in a tag. */
void svg_point(struct svg_out *out, double x, double y);
void svg_attribute(struct svg_out *out, const char *name, double value);

/* A <text> at a place, on a line of the file; `class` is ours.  svg_label_cut cuts as
 * svg_text_cut. */
void svg_label(struct svg_out *out, const char *class, double x, double y, const char *text);
void svg_label_cut(struct svg_out *out, const char *class, const double place[2], const char *text,
                   size_t cells);
/* A straight <path> from ends[0], ends[1] to ends[2], ends[3]. */
void svg_stroke(struct svg_out *out, const char *class, const double ends[4]);

struct svg_head {
    unsigned width, height;
    const char *title;       /* foreign text, both */
    const char *description; /* what follows `kind` */
    const char *kind;        /* of picture, ours: "Flame graph" */
};
/* Begins a picture as a file of its own: all up to the style sheet, which the caller writes and
 * ends with </style>. */
void svg_begin(struct svg_out *out, const struct svg_head *head);

/* Returns how many columns of a monospaced font `text` takes (wide East Asian characters take
 * two). */
size_t text_cells(const char *text);

/* Takes one character off the front of `*text`; U+FFFD for what must not be shown, 0 at the end. */
uint32_t text_next(const char **text);
