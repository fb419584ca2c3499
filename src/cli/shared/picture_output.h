/* picture_output.h - writes a picture to a file: SVG, a page with the SVG in it, or PNG with the
 * help of memoir-png. */
#pragma once

#include "base/fault.h"
#include "report/pictures/svg_out.h"

enum picture_format { PICTURE_SVG, PICTURE_PNG, PICTURE_HTML, PICTURE_DOT, PICTURE_JSON };

/* Finds the format by the ending of `path`; NULL and "-" are SVG on standard output.  Returns 0; or
 * -EINVAL, with a sentence, for another ending, or if standard output is a terminal. */
int picture_format_of(const char *path, enum picture_format *format, struct fault *fault);
/* Return whether `path` ends in .dot or .gv, or in .json: formats that only some pictures have. */
bool picture_is_dot(const char *path);
/* See picture_is_dot. */
bool picture_is_json(const char *path);

/* Writes the picture to `path`, with mode 0600 if the file is new.  memoir-png makes a PNG.
 * Returns 0; or -errno with a sentence, which is empty if memoir-png has printed its own. */
int picture_write(const struct svg_out *svg, const char *path, enum picture_format format,
                  struct fault *fault);
