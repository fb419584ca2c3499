/* picture_output.h - a picture that is drawn, as a file: SVG, a page with the SVG in it, or PNG
 * by way of memoir-png. */
#pragma once

#include "base/fault.h"
#include "report/pictures/svg_out.h"

enum picture_format { PICTURE_SVG, PICTURE_PNG, PICTURE_HTML, PICTURE_DOT, PICTURE_JSON };

/* What to write, by the ending of `path`; NULL and "-" are SVG on standard output.
 * -EINVAL with a sentence for another ending, and for a terminal. */
int picture_format_of(const char *path, enum picture_format *format, struct fault *fault);
/* Whether it ends in .dot or .gv, for the picture that can be written so. */
bool picture_is_dot(const char *path);
/* And .json. */
bool picture_is_json(const char *path);

/* Writes the picture to `path` (0600 when new); a PNG is made by memoir-png.
 * 0 or -errno with a sentence, which is empty when memoir-png has printed its own. */
int picture_write(const struct svg_out *svg, const char *path, enum picture_format format,
                  struct fault *fault);
