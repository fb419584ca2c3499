/* SPDX-License-Identifier: Apache-2.0 */
/* pattern_bracket.c - sets of letters: what stands in brackets, and \w. */
#include <string.h>

#include "base/pattern/pattern_program.h"

static bool is_blank(unsigned c)
{
    return c == ' ' || c == '\t';
}
static bool is_space(unsigned c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
static bool is_digit(unsigned c)
{
    return c >= '0' && c <= '9';
}
static bool is_upper(unsigned c)
{
    return c >= 'A' && c <= 'Z';
}
static bool is_lower(unsigned c)
{
    return c >= 'a' && c <= 'z';
}
static bool is_alpha(unsigned c)
{
    return is_upper(c) || is_lower(c);
}
static bool is_alnum(unsigned c)
{
    return is_alpha(c) || is_digit(c);
}
static bool is_graph(unsigned c)
{
    return c > ' ' && c < 0x7f;
}
static bool is_print(unsigned c)
{
    return c >= ' ' && c < 0x7f;
}
static bool is_punct(unsigned c)
{
    return is_graph(c) && !is_alnum(c);
}
static bool is_cntrl(unsigned c)
{
    return c < ' ' || c == 0x7f;
}
static bool is_xdigit(unsigned c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* By hand, because <ctype.h> asks the locale. */
static const struct {
    const char *name;
    bool (*has)(unsigned byte);
} classes[] = {{"alpha", is_alpha}, {"digit", is_digit}, {"alnum", is_alnum}, {"upper", is_upper},
               {"lower", is_lower}, {"space", is_space}, {"blank", is_blank}, {"punct", is_punct},
               {"print", is_print}, {"graph", is_graph}, {"cntrl", is_cntrl}, {"xdigit", is_xdigit},
               {NULL, NULL}};

static void add_all(struct byte_set *set, bool (*has)(unsigned byte))
{
    for (unsigned byte = 0; byte < 256; byte++)
        if (has(byte))
            byte_set_add(set, byte);
}

static void turn_over(struct byte_set *set)
{
    for (unsigned i = 0; i < 4; i++)
        set->bits[i] = ~set->bits[i];
}

bool escape_set(char letter, struct byte_set *set)
{
    memset(set, 0, sizeof(*set));
    switch (letter) {
    case 'w':
    case 'W':
        add_all(set, is_word_byte);
        break;
    case 's':
    case 'S':
        add_all(set, is_space);
        break;
    case 'd':
    case 'D':
        add_all(set, is_digit);
        break;
    default:
        return false;
    }
    if (is_upper((unsigned char)letter))
        turn_over(set);
    return true;
}

struct pattern_reading {
    struct slice text;
    size_t at;
    struct byte_set *set;
    const char *why;
};

static int peek(const struct pattern_reading *reading, size_t ahead)
{
    size_t const at = reading->at + ahead;
    return at < reading->text.size ? (unsigned char)reading->text.data[at] : -1;
}

static bool refuse(struct pattern_reading *reading, const char *why)
{
    reading->why = why;
    return false;
}

/* The word of [:word:], [=w=] or [.w.], which begins two letters ahead. */
static bool parse_named(struct pattern_reading *reading, int mark, struct slice *word)
{
    size_t const from = reading->at + 2;
    for (size_t end = from; end + 1 < reading->text.size; end++)
        if (reading->text.data[end] == mark && reading->text.data[end + 1] == ']') {
            *word = (struct slice){reading->text.data + from, end - from};
            reading->at = end + 2;
            return true;
        }
    return refuse(reading, "in brackets, [: has no :]; write [[] to look for a bracket");
}

static bool add_class(struct pattern_reading *reading, struct slice name)
{
    for (size_t i = 0; classes[i].name; i++)
        if (slice_equals(slice_of(classes[i].name), name)) {
            add_all(reading->set, classes[i].has);
            return true;
        }
    return refuse(reading, "there is no such [:class:]; there are alpha, digit, alnum, upper, "
                           "lower, space, blank, punct, print, graph, cntrl and xdigit");
}

/* One end of a range, or a letter by itself.  -1: refused. */
static int parse_letter(struct pattern_reading *reading)
{
    struct slice word;
    int letter = peek(reading, 0);
    if (letter == '[' && (peek(reading, 1) == '.' || peek(reading, 1) == '=')) {
        if (!parse_named(reading, peek(reading, 1), &word))
            return -1;
        letter = word.size == 1 ? (unsigned char)word.data[0] : -1;
        if (letter < 0)
            reading->why = "in brackets, [. .] and [= =] hold one letter each";
    } else {
        reading->at++;
    }
    if (letter >= 0x80) {
        reading->why = "letters in brackets are ASCII; write (\xc3\xa4|\xc3\xb6) for others";
        letter = -1;
    }
    return letter;
}

/* An item: a class, a letter, or a range. */
static bool parse_item(struct pattern_reading *reading)
{
    struct slice word;
    if (peek(reading, 0) == '[' && peek(reading, 1) == ':')
        return parse_named(reading, ':', &word) && add_class(reading, word);
    int const first = parse_letter(reading);
    if (first < 0)
        return false;
    int last = first;
    if (peek(reading, 0) == '-' && peek(reading, 1) >= 0 && peek(reading, 1) != ']') {
        reading->at++;
        if (peek(reading, 0) == '[' && peek(reading, 1) == ':')
            return refuse(reading, "a range in brackets ends in a letter, not in a [:class:]");
        last = parse_letter(reading);
        if (last < 0)
            return false;
    }
    if (last < first)
        return refuse(reading, "a range in brackets goes from the smaller letter to the larger");
    for (int byte = first; byte <= last; byte++)
        byte_set_add(reading->set, (unsigned)byte);
    return true;
}

const char *bracket_parse(struct slice text, size_t *at, struct byte_set *set)
{
    struct pattern_reading reading = {.text = text, .at = *at, .set = set};
    memset(set, 0, sizeof(*set));
    bool const is_negated = peek(&reading, 0) == '^';
    reading.at += is_negated;
    do { /* a ] that comes first is a letter */
        if (peek(&reading, 0) < 0)
            return "a [ has no ]; write \\[ to look for a bracket";
        if (!parse_item(&reading))
            return reading.why;
    } while (peek(&reading, 0) != ']');
    if (is_negated)
        turn_over(set);
    *at = reading.at + 1;
    return NULL;
}
