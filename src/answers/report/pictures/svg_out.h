/* svg_out.h - a buffer for the text of a picture: XML, JSON and numbers, written so that no name
 * from a recording can become markup or script.
 *
 * Names are hostile input: bytes that are not UTF-8, control characters and direction overrides are
 * written as U+FFFD.  Numbers do not depend on the locale.  When out of memory, `failed` is set,
 * and from then on every call does nothing; so it is enough to check `failed` at the end. */
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

/* Write text without any change, for markup of our own. */
void svg_raw(struct svg_out *out, const char *text);
void svg_bytes(struct svg_out *out, const char *data, size_t size);
/* For integers and our own words only: no %f, which depends on the locale, and no %s with foreign
 * text. */
void svg_format(struct svg_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes one number; faster than svg_format, for very long lists. */
void svg_int(struct svg_out *out, int64_t value);

/* Writes foreign text as XML character data, which is also safe in a quoted attribute. */
void svg_text(struct svg_out *out, const char *text);
/* Like svg_text, but cuts the text to `cells` columns of a monospaced font; "…" marks the cut. */
void svg_text_cut(struct svg_out *out, const char *text, size_t cells);
/* Writes foreign text as a JSON string with its quotes, which is safe in an XML <script>
 * element. */
void svg_json(struct svg_out *out, const char *text);

/* Writes a length in pixels with at most `decimals` (up to 3) digits after the point, without
 * trailing zeros. */
void svg_px(struct svg_out *out, double value, unsigned decimals);

/* Write lengths with one digit after the point: `x y` for a path, ` name="12.5"` for a tag. */
void svg_point(struct svg_out *out, double x, double y);
void svg_attribute(struct svg_out *out, const char *name, double value);

/* Write a <text> element at a position, on a line of its own in the file.  `class` is our own word.
 * svg_label_cut cuts like svg_text_cut. */
void svg_label(struct svg_out *out, const char *class, double x, double y, const char *text);
void svg_label_cut(struct svg_out *out, const char *class, const double place[2], const char *text,
                   size_t cells);
/* Writes a straight <path> from (ends[0], ends[1]) to (ends[2], ends[3]). */
void svg_stroke(struct svg_out *out, const char *class, const double ends[4]);

struct svg_head {
    unsigned width, height;
    const char *title;       /* foreign text, as is the description */
    const char *description; /* follows `kind` */
    const char *kind;        /* kind of picture, our own words: "Flame graph" */
};
/* Begins a file with a picture: writes everything up to the style sheet.  The caller writes the
 * style sheet, and ends it with </style>. */
void svg_begin(struct svg_out *out, const struct svg_head *head);

/* Returns the number of columns that `text` takes in a monospaced font; wide East Asian characters
 * take two. */
size_t text_cells(const char *text);

/* Consumes one character at the front of *text and returns it; U+FFFD for a character that must not
 * be shown, 0 at the end. */
uint32_t text_next(const char **text);
