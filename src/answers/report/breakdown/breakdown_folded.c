/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "report/breakdown/breakdown_parts.h"
#include "report/breakdown/breakdown_report.h"

/* A frame: what ends one, or a line, must not be in it, nor what steers a terminal. */
static void put_frame(const char *text, FILE *out)
{
    for (size_t left = strlen(text), size; left; text += size, left -= size) {
        size_t const length = utf8_length(text, left);
        size = length ? length : 1;
        if (length == 0 || utf8_steers(text, length))
            fputc('?', out);
        else if (*text == ';')
            fputc(':', out);
        else
            fwrite(text, 1, size, out);
    }
}

void breakdown_folded_write(const struct breakdown *breakdown, enum memory_figure figure, FILE *out)
{
    vec_each (leaf, &breakdown->leaves) {
        uint64_t const value = memory_figure_of(&leaf->bytes, figure);
        if (value == 0)
            continue;
        put_frame(breakdown_section_title(breakdown, leaf->section), out);
        fputc(';', out);
        put_frame(leaf->label, out);
        if (leaf->item[0])
            fputc(';', out);
        put_frame(leaf->item, out);
        fprintf(out, " %" PRIu64 "\n", value);
    }
}
