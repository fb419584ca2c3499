/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/open/unknown_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "formats/shared/input_registry.h"

#define NAMES_MAX 200

struct look {
    const char *magic;
    size_t size;
    const char *what;
};

static const struct look looks[] = {
    {"\x7f"
     "ELF",
     4, "a program or library (ELF)"},
    {"SQLite format 3", 16, "an SQLite database; memoir history reads those of memoir"},
    {"\x89PNG", 4, "a picture (PNG)"},
    {"PK\3\4", 4, "a zip archive"},
    {"%PDF", 4, "a PDF"},
    {"<?xml", 5, "XML"},
    {"<svg", 4, "a picture (SVG)"},
    {"<!doctype html", 14, "a page (HTML)"},
    {"<html", 5, "a page (HTML)"},
    {"go 1.", 5, "an execution trace of Go; go tool trace reads it"},
    {"FLR\0", 4, "a recording of Java Flight Recorder"},
    {"JAVA PROFILE", 12, "a heap dump of Java"},
};

static bool begins(struct slice head, const struct look *look)
{
    return head.size >= look->size && strncasecmp(head.data, look->magic, look->size) == 0;
}

static bool is_text(struct slice head)
{
    for (size_t i = 0; i < head.size; i++) {
        unsigned char const byte = (unsigned char)head.data[i];
        if (byte < ' ' && !isspace(byte))
            return false;
    }
    return true;
}

/* Lines of stacks and a number, as flame graph programs read them. */
static bool is_folded(struct slice head)
{
    const char *end = memchr(head.data, '\n', head.size);
    size_t size = end ? (size_t)(end - head.data) : 0;
    size_t digits = 0;
    while (digits < size && isdigit((unsigned char)head.data[size - 1 - digits]))
        digits++;
    return digits > 0 && digits + 1 < size && head.data[size - 1 - digits] == ' ' &&
           memchr(head.data, ';', size - digits);
}

static const char *look_at(struct slice head)
{
    size_t blank = 0;
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
        if (begins(head, &looks[i]))
            return looks[i].what;
    if (head.size > 262 && memcmp(head.data + 257, "ustar", 5) == 0)
        return "a tar archive: unpack it first";
    if (!is_text(head))
        return "a file of an unknown kind";
    while (blank < head.size && isspace((unsigned char)head.data[blank]))
        blank++;
    if (blank < head.size && (head.data[blank] == '{' || head.data[blank] == '['))
        return "JSON";
    return is_folded(head) ? "folded stacks, which memoir writes and does not read" : "text";
}

/* "heaptrack, perf and pprof": the programs whose files memoir reads. */
static const char *list_programs(char text[NAMES_MAX])
{
    size_t length = 0;
    text[0] = '\0';
    for (const struct input_format *format = input_formats; format->name; format++) {
        bool const is_last = !format[1].name || format[1].is_own;
        const char *before = length == 0 ? "" : is_last ? " and " : ", ";
        if (!format->is_own && length < NAMES_MAX)
            length +=
                (size_t)snprintf(text + length, NAMES_MAX - length, "%s%s", before, format->name);
    }
    return text;
}

int unknown_file(const char *name, struct slice head, enum compression packed, struct fault *fault)
{
    static const char *const packings[] = {[COMPRESS_NONE] = "",
                                           [COMPRESS_GZIP] = "gzip of ",
                                           [COMPRESS_ZSTD] = "zstd of ",
                                           [COMPRESS_XZ] = "xz of ",
                                           [COMPRESS_BZIP2] = "bzip2 of "};
    char programs[NAMES_MAX];
    return fault_set(fault, -EINVAL,
                     "cannot read %.200s: memoir does not know this format; it looks like %s%s; "
                     "memoir reads its own recordings, files of %s, and folders of memoir watch",
                     name, packings[packed], look_at(head), list_programs(programs));
}
