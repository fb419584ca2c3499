/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/plot/line_chart.h"

static bool is_binary(const char *unit)
{
    return strncmp(unit, "bytes", 5) == 0 && (unit[5] == '\0' || unit[5] == '/');
}

/* At most three digits, no zeros behind the point. */
static int put_short(double value, char text[CHART_NUMBER_MAX])
{
    double const size = fabs(value);
    int const decimals = size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    if (size > 0 && size < 0.01)
        return snprintf(text, CHART_NUMBER_MAX, "%.2g", value);
    int used = snprintf(text, CHART_NUMBER_MAX, "%.*f", decimals, value);
    if (decimals)
        while (used && (text[used - 1] == '0' || text[used - 1] == '.')) {
            bool const was_point = text[--used] == '.';
            text[used] = '\0';
            if (was_point)
                break;
        }
    return used;
}

const char *chart_number(double value, const char *unit, char text[CHART_NUMBER_MAX])
{
    static const char *const binary[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    static const char *const decimal[] = {"", "k", "M", "G", "T", "P"};
    double const base = is_binary(unit) ? 1024 : 1000;
    size_t at = 0;
    if (!isfinite(value)) {
        snprintf(text, CHART_NUMBER_MAX, "%s", isnan(value) ? "-" : value > 0 ? "+Inf" : "-Inf");
        return text;
    }
    while (fabs(value) >= base * (at ? 0.9995 : 1) && at < 5) {
        value /= base;
        at++;
    }
    int const used = put_short(value, text);
    size_t const room = CHART_NUMBER_MAX - (size_t)used;
    if (is_binary(unit))
        snprintf(text + used, room, "%s%s", binary[at], unit + 5);
    else
        snprintf(text + used, room, "%s%s%.24s", decimal[at], *unit && *unit != '/' ? " " : "",
                 unit);
    return text;
}

double chart_step(double span, const char *unit, unsigned wanted)
{
    double const least = span / (wanted ? wanted : 1);
    if (!(least > 0) || !isfinite(least))
        return 1;
    if (is_binary(unit) && least >= 1)
        return exp2(ceil(log2(least)));
    double const power = pow(10, floor(log10(least)));
    double const first = least / power;
    return power * (first <= 1 ? 1 : first <= 2 ? 2 : first <= 5 ? 5 : 10);
}
