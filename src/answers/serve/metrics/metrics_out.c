/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/metrics/metrics_out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

const char *metrics_content_type(enum metrics_format format)
{
    return format == METRICS_OPEN ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                  : "text/plain; version=0.0.4; charset=utf-8";
}

void metrics_init(struct metrics_out *out, FILE *file, enum metrics_format format)
{
    *out = (struct metrics_out){.file = file, .format = format};
}

/* With `\`, newline and (for labels, and in OpenMetrics anywhere) `"` escaped. */
static void write_escaped(FILE *file, const char *text, bool quotes)
{
    size_t size = strlen(text);
    while (size) {
        size_t const length = utf8_length(text, size);
        if (*text == '\n')
            fputs("\\n", file);
        else if (*text == '\\' || (*text == '"' && quotes))
            fprintf(file, "\\%c", *text);
        else if (length == 0)
            fputs("\xef\xbf\xbd", file);
        else
            fwrite(text, 1, length, file);
        text += length ? length : 1;
        size -= length ? length : 1;
    }
}

void metrics_family(struct metrics_out *out, const char *name, const char *type, const char *unit,
                    const char *help)
{
    static const char total[] = "_total";
    size_t length = strlen(name);
    bool const is_open = out->format == METRICS_OPEN;
    out->name = name;
    if (is_open && strcmp(type, "counter") == 0)
        length -= sizeof(total) - 1; /* there the family's name is without it */
    fprintf(out->file, "# HELP %.*s ", (int)length, name);
    write_escaped(out->file, help, is_open);
    fprintf(out->file, "\n# TYPE %.*s %s\n", (int)length, name, type);
    if (is_open && unit[0])
        fprintf(out->file, "# UNIT %.*s %s\n", (int)length, name, unit);
}

static void write_series(struct metrics_out *out, const struct metrics_label *labels, size_t count)
{
    fputs(out->name, out->file);
    for (size_t i = 0; i < count; i++) {
        fprintf(out->file, "%s%s=\"", i ? "," : "{", labels[i].name);
        write_escaped(out->file, labels[i].value, true);
        fputc('"', out->file);
    }
    fputs(count ? "} " : " ", out->file);
}

void metrics_uint(struct metrics_out *out, const struct metrics_label *labels, size_t count,
                  uint64_t value)
{
    write_series(out, labels, count);
    fprintf(out->file, "%" PRIu64 "\n", value);
}

void metrics_int(struct metrics_out *out, const struct metrics_label *labels, size_t count,
                 int64_t value)
{
    write_series(out, labels, count);
    fprintf(out->file, "%" PRId64 "\n", value);
}

void metrics_real(struct metrics_out *out, const struct metrics_label *labels, size_t count,
                  double value)
{
    char text[40];
    int digits = 15;
    write_series(out, labels, count);
    if (isnan(value))
        fputs("NaN\n", out->file);
    else if (isinf(value))
        fputs(value > 0 ? "+Inf\n" : "-Inf\n", out->file);
    else {
        do /* the shortest that is the same number again */
            snprintf(text, sizeof(text), "%.*g", digits, value);
        while (strtod(text, NULL) != value && ++digits <= 17);
        fprintf(out->file, "%s\n", text);
    }
}

int metrics_finish(struct metrics_out *out)
{
    if (out->format == METRICS_OPEN)
        fputs("# EOF\n", out->file);
    return fflush(out->file) != 0 || ferror(out->file) ? -EIO : 0;
}
