/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/human.h"

#define NUMBER_LENGTH_MAX 24

/* Parses digits, or digits with a fraction, off the front of *text; no sign, no exponent, no space.
 */
static int parse_number(const char **text, double *number, bool *is_whole)
{
    size_t const whole = strspn(*text, "0123456789");
    size_t length = whole;
    if (whole > 0 && (*text)[whole] == '.')
        length += 1 + strspn(*text + whole + 1, "0123456789");
    if (whole == 0 || (*text)[length - 1] == '.')
        return -EINVAL;
    if (length > NUMBER_LENGTH_MAX)
        return -ERANGE;
    *number = strtod(*text, NULL);
    *is_whole = length == whole;
    *text += length;
    return 0;
}

int human_parse_count(const char *text, uint64_t *count)
{
    size_t const length = strspn(text, "0123456789");
    if (length == 0 || text[length])
        return -EINVAL;
    errno = 0;
    unsigned long long const value = strtoull(text, NULL, 10);
    if (errno)
        return -ERANGE;
    *count = value;
    return 0;
}

/* `text` after the number, into a power of 1024; -1 when it is no such unit. */
static int size_shift(const char *text)
{
    static const char letters[] = "KMGTPE";
    if (*text == '\0' || strcmp(text, "B") == 0)
        return 0;
    const char *letter = strchr(letters, toupper((unsigned char)*text));
    if (!letter || (text[1] && strcmp(text + 1, "B") != 0 && strcmp(text + 1, "iB") != 0))
        return -1;
    return 10 * (int)(letter - letters + 1);
}

int human_parse_bytes(const char *text, uint64_t *bytes)
{
    const char *rest = text;
    double number;
    bool is_whole;
    int err = parse_number(&rest, &number, &is_whole);
    if (err)
        return err;
    if (*rest == ' ')
        rest++;
    int const shift = size_shift(rest);
    if (shift < 0)
        return -EINVAL;
    number *= (double)(1ull << shift);
    if (number >= 0x1p64)
        return -ERANGE;
    if (!is_whole) {
        *bytes = (uint64_t)number;
        return 0;
    }
    uint64_t const whole = strtoull(text, NULL, 10); /* exact, where a double is not */
    *bytes = whole << shift;
    return 0;
}

struct time_unit {
    const char *name;
    uint64_t ns;
};

/* Falling, so that "parts from larger to smaller" is "further down this table". */
static const struct time_unit time_units[] = {
    {"d", 86400000000000u}, {"h", 3600000000000u}, {"min", 60000000000u}, {"m", 60000000000u},
    {"s", NS_PER_SECOND},   {"ms", 1000000u},      {"us", 1000u},         {"ns", 1u},
};

static const struct time_unit *parse_unit(const char **text)
{
    size_t const length = strspn(*text, "dhminsu");
    for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++) {
        if (strlen(time_units[i].name) == length &&
            memcmp(time_units[i].name, *text, length) == 0) {
            *text += length;
            return &time_units[i];
        }
    }
    return NULL;
}

int human_parse_duration(const char *text, uint64_t *ns)
{
    uint64_t largest_allowed = UINT64_MAX, count;
    double sum = 0, number;
    bool is_whole;

    int err = human_parse_count(text, &count);
    if (err == 0 && count > UINT64_MAX / NS_PER_SECOND)
        err = -ERANGE;
    if (err == 0)
        *ns = count * NS_PER_SECOND;
    if (err != -EINVAL)
        return err;
    do {
        err = parse_number(&text, &number, &is_whole);
        if (err)
            return err;
        const struct time_unit *unit = parse_unit(&text);
        if (!unit && *text == '\0' && largest_allowed == UINT64_MAX)
            unit = &time_units[4]; /* "1.5" alone is seconds as well */
        if (!unit || unit->ns >= largest_allowed)
            return -EINVAL;
        largest_allowed = unit->ns;
        sum += number * (double)unit->ns;
    } while (*text);
    if (sum >= 0x1p63)
        return -ERANGE;
    *ns = (uint64_t)(sum + 0.5);
    return 0;
}

int human_parse_share(const char *text, double *share)
{
    double number;
    bool is_whole;
    int err = parse_number(&text, &number, &is_whole);
    if (err)
        return err;
    if (*text == ' ')
        text++;
    if (strcmp(text, "%") != 0)
        return -EINVAL;
    *share = number / 100;
    return 0;
}
