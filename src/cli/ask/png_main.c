/* SPDX-License-Identifier: Apache-2.0 */
/* png_main.c - the program memoir-png: reads SVG from standard input, and writes PNG to standard
 * output or to a file.  It is a program of its own because librsvg and its libraries are large, and
 * because SVG readers have had many bugs: it runs without privileges, for one picture.  It has no
 * base address, so librsvg opens no file and no host that the SVG refers to. */
#include <cairo.h>
#include <errno.h>
#include <fcntl.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own_path.h"
#include "base/terminal.h"

#define INPUT_MAX  (64u << 20)
#define SIDE_MAX   32000.0 /* cairo ends at 32767 */
#define PIXELS_MAX 200e6   /* 800 MB of memory */
#define SHARP_MAX  30e6 /* more than this only when the picture itself has more: it takes seconds */

struct png_request {
    const char *output; /* NULL: standard output */
    double scale;
};

static int complain(const char *what, const char *why)
{
    size_t length = strlen(why); /* the libraries' messages end in newlines, some of them */
    while (length > 0 && why[length - 1] == '\n')
        length--;
    fprintf(stderr, "memoir-png: %s: %.*s\n", what, (int)length, why);
    return 1;
}

static bool parse_scale(const char *text, double *scale)
{
    char *end;
    *scale = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*scale) && *scale >= 0.1 && *scale <= 16;
}

static bool parse_arguments(int argc, char **argv, struct png_request *request)
{
    for (int i = 1; i < argc; i++) {
        bool const has_value = i + 1 < argc;
        if (strcmp(argv[i], "-o") == 0 && has_value)
            request->output = argv[++i];
        else if (strcmp(argv[i], "--scale") == 0 && has_value &&
                 parse_scale(argv[i + 1], &request->scale))
            i++;
        else
            return false;
    }
    return true;
}

struct png_input {
    unsigned char *data;
    size_t size, room;
};

/* Makes room for more; false, with errno set, when there is no more to have. */
static bool input_grow(struct png_input *input)
{
    if (input->room >= INPUT_MAX) {
        errno = EFBIG;
        return false;
    }
    size_t const room = input->room ? 2 * input->room : 1u << 20;
    unsigned char *grown = realloc(input->data, room);
    if (!grown)
        return false;
    input->data = grown;
    input->room = room;
    return true;
}

/* All of standard input; false with errno set.  The caller frees the data in either case. */
static bool read_input(struct png_input *input)
{
    for (;;) {
        if (input->size == input->room && !input_grow(input))
            return false;
        ssize_t const got =
            read(STDIN_FILENO, input->data + input->size, input->room - input->size);
        if (got == 0)
            return true;
        if (got > 0)
            input->size += (size_t)got;
        else if (errno != EINTR)
            return false;
    }
}

/* Pixels of the picture, smaller than asked for when it would be too large. */
static bool picture_size(RsvgHandle *svg, double scale, int *width, int *height)
{
    double wide = 0, tall = 0;
    if (!rsvg_handle_get_intrinsic_size_in_pixels(svg, &wide, &tall) || !(wide >= 1 && tall >= 1))
        return false;
    double const largest = fmin(SIDE_MAX / fmax(wide, tall), sqrt(PIXELS_MAX / (wide * tall)));
    double const sharp = fmax(1, sqrt(SHARP_MAX / (wide * tall)));
    double const used = fmin(fmin(scale, sharp), largest);
    *width = (int)fmax(1, ceil(wide * used));
    *height = (int)fmax(1, ceil(tall * used));
    return true;
}

static cairo_status_t write_bytes(void *closure, const unsigned char *data, unsigned size)
{
    int const fd = *(int *)closure;
    while (size > 0) {
        ssize_t const written = write(fd, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return CAIRO_STATUS_WRITE_ERROR;
        data += written;
        size -= (unsigned)written;
    }
    return CAIRO_STATUS_SUCCESS;
}

static int write_png(cairo_surface_t *surface, const char *output)
{
    struct fault fault = {0};
    int fd = output ? own_path_open(output, O_WRONLY | O_TRUNC, NULL, &fault) : STDOUT_FILENO;
    if (fd < 0)
        return complain(output, fault.text);
    errno = 0;
    cairo_status_t const status = cairo_surface_write_to_png_stream(surface, write_bytes, &fd);
    int const write_errno = errno;
    bool const closed = !output || close(fd) == 0;
    if (status != CAIRO_STATUS_SUCCESS || !closed)
        return complain(output ? output : "standard output",
                        write_errno ? strerror(write_errno) : cairo_status_to_string(status));
    return 0;
}

static int draw(RsvgHandle *svg, const struct png_request *request)
{
    int width, height;
    GError *error = NULL;
    if (!picture_size(svg, request->scale, &width, &height))
        return complain("the picture has no size", "its svg element needs width and height");
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_t *context = cairo_create(surface);
    RsvgRectangle const whole = {0, 0, width, height};
    int status = 1;
    if (cairo_status(context) != CAIRO_STATUS_SUCCESS)
        complain("the picture is too large", cairo_status_to_string(cairo_status(context)));
    else if (!rsvg_handle_render_document(svg, context, &whole, &error))
        complain("the picture cannot be drawn", error->message);
    else
        status = write_png(surface, request->output);
    g_clear_error(&error);
    cairo_destroy(context);
    cairo_surface_destroy(surface);
    return status;
}

static int convert(const struct png_input *input, const struct png_request *request)
{
    GError *error = NULL;
    RsvgHandle *svg = rsvg_handle_new_from_data(input->data, input->size, &error);
    int const status =
        svg ? draw(svg, request) : complain("standard input is no SVG", error->message);
    g_clear_error(&error);
    g_clear_object(&svg);
    return status;
}

int main(int argc, char **argv)
{
    struct png_request request = {.scale = 1};
    struct png_input input = {0};
    terminal_guard();
    if (!parse_arguments(argc, argv, &request)) {
        fputs("Usage: memoir-png [--scale 0.1 to 16] [-o OUT.png] <IN.svg\n", stderr);
        return 2;
    }
    int const status = read_input(&input)
                           ? convert(&input, &request)
                           : complain("standard input cannot be read", strerror(errno));
    free(input.data);
    return status;
}
