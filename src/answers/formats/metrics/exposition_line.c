/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/metrics/exposition_line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "formats/shared/text_fields.h"

#define NUMBER_MAX 128u

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_with(struct slice text, char c)
{
    return text.size && text.data[0] == c;
}

static int keep(struct line_head *head, const char *data, size_t size)
{
    if (!vec_reserve(&head->scratch, size + 1))
        return -ENOMEM;
    memcpy(head->scratch.items + head->scratch.count, data, size);
    head->scratch.count += size;
    return 0;
}

/* A name without quotes. */
static int parse_bare(struct slice *line, bool may_have_colons, struct line_head *head)
{
    size_t size = 0;
    while (size < line->size &&
           (is_name_start(line->data[size]) || (may_have_colons && line->data[size] == ':') ||
            (size && is_digit(line->data[size]))))
        size++;
    if (size == 0)
        return -EBADMSG;
    int const err = keep(head, line->data, size);
    *line = slice_from(*line, size);
    return err;
}

/* A text in quotes, without its escapes.  The first quote is there. */
static int parse_quoted(struct slice *line, struct line_head *head)
{
    struct slice rest = slice_from(*line, 1);
    for (;;) {
        size_t plain = 0;
        while (plain < rest.size && rest.data[plain] != '"' && rest.data[plain] != '\\' &&
               rest.data[plain] != '\0')
            plain++;
        if (plain == rest.size || rest.data[plain] == '\0' || keep(head, rest.data, plain) < 0)
            return plain < rest.size && rest.data[plain] ? -ENOMEM : -EBADMSG;
        bool const ends = rest.data[plain] == '"';
        rest = slice_from(rest, plain + 1);
        if (ends)
            break;
        char const escaped = rest.size ? rest.data[0] : '\0';
        if (escaped != '\\' && escaped != '"' && escaped != 'n')
            return -EBADMSG;
        if (keep(head, escaped == 'n' ? "\n" : &escaped, 1) < 0)
            return -ENOMEM;
        rest = slice_from(rest, 1);
    }
    *line = rest;
    return 0;
}

static int parse_name(struct slice *line, bool is_metric, struct line_head *head, size_t *size)
{
    size_t const begin = head->scratch.count;
    int const err =
        starts_with(*line, '"') ? parse_quoted(line, head) : parse_bare(line, is_metric, head);
    *size = head->scratch.count - begin;
    return err ? err : *size ? 0 : -EBADMSG;
}

static struct slice label_name(const struct line_head *head, uint32_t at)
{
    return (struct slice){head->scratch.items + head->labels[at].name, head->labels[at].name_size};
}

static int compare(struct slice a, struct slice b)
{
    size_t const size = a.size < b.size ? a.size : b.size;
    int const order = memcmp(a.data, b.data, size);
    return order ? order : a.size < b.size ? -1 : a.size > b.size;
}

/* Puts the label behind the last one where it belongs.  A name that is there already is an
 * error. */
static int sort_in(struct line_head *head)
{
    uint32_t at = head->label_count++;
    struct line_label const label = head->labels[at];
    struct slice const name = label_name(head, at);
    for (; at > 0; at--) {
        int const order = compare(label_name(head, at - 1), name);
        if (order == 0)
            return -EBADMSG;
        if (order < 0)
            break;
        head->labels[at] = head->labels[at - 1];
    }
    head->labels[at] = label;
    return 0;
}

/* NAME="VALUE" behind a name that was parsed. */
static int parse_pair(struct slice *line, struct line_head *head, struct line_label label)
{
    skip_blanks(line);
    if (!starts_with(*line, '='))
        return -EBADMSG;
    *line = slice_from(*line, 1);
    skip_blanks(line);
    if (!starts_with(*line, '"') || head->label_count == EXPOSITION_LABELS_MAX)
        return -EBADMSG;
    label.value = head->scratch.count;
    int const err = parse_quoted(line, head);
    if (err)
        return err;
    label.value_size = head->scratch.count - label.value;
    head->labels[head->label_count] = label;
    if (slice_equals(label_name(head, head->label_count), slice_of("__name__")))
        return -EBADMSG;
    return sort_in(head);
}

/* One part between commas: a pair, or the metric's own name in quotes. */
static int parse_part(struct slice *line, struct line_head *head)
{
    struct line_label label = {.name = head->scratch.count};
    bool const is_quoted = starts_with(*line, '"');
    int err = parse_name(line, false, head, &label.name_size);
    if (err)
        return err;
    skip_blanks(line);
    if (is_quoted && !starts_with(*line, '=') && head->name_size == 0) {
        head->name = label.name;
        head->name_size = label.name_size;
        return 0;
    }
    return parse_pair(line, head, label);
}

static int parse_labels(struct slice *line, struct line_head *head)
{
    *line = slice_from(*line, 1);
    for (;;) {
        skip_blanks(line);
        if (starts_with(*line, '}'))
            break;
        int const err = parse_part(line, head);
        if (err)
            return err;
        skip_blanks(line);
        if (starts_with(*line, ','))
            *line = slice_from(*line, 1);
        else if (!starts_with(*line, '}'))
            return -EBADMSG;
    }
    *line = slice_from(*line, 1);
    return 0;
}

static void drop_empty(struct line_head *head)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < head->label_count; i++)
        if (head->labels[i].value_size)
            head->labels[kept++] = head->labels[i];
    head->label_count = kept;
}

int line_parse_head(struct slice *line, struct line_head *head)
{
    head->scratch.count = 0;
    head->name = head->name_size = head->label_count = 0;
    skip_blanks(line);
    int err = starts_with(*line, '{') ? 0 : parse_bare(line, true, head);
    if (err)
        return err;
    head->name_size = head->scratch.count;
    bool has_end = false; /* a name alone must be followed by a blank */
    size_t const before = line->size;
    skip_blanks(line);
    has_end = line->size < before;
    if (starts_with(*line, '{')) {
        err = parse_labels(line, head);
        has_end = true;
        skip_blanks(line);
    }
    drop_empty(head);
    return err ? err : has_end && head->name_size ? 0 : -EBADMSG;
}

void line_head_fini(struct line_head *head)
{
    vec_free(&head->scratch);
}

static struct slice consume_token(struct slice *line)
{
    struct slice token = {line->data, 0};
    while (token.size < line->size && line->data[token.size] != ' ' &&
           line->data[token.size] != '\t')
        token.size++;
    *line = slice_from(*line, token.size);
    skip_blanks(line);
    return token;
}

/* The forms that are words.  NaN has no sign that matters. */
static bool parse_word(const char *text, double *value)
{
    bool const is_signed = *text == '+' || *text == '-';
    const char *word = text + is_signed;
    if (strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0)
        *value = *text == '-' ? -INFINITY : INFINITY;
    else if (strcasecmp(text, "nan") == 0)
        *value = NAN;
    else
        return false;
    return true;
}

static bool parse_whole(struct slice word, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < word.size; i++)
        if (!is_digit(word.data[i]) || __builtin_mul_overflow(sum, 10u, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(word.data[i] - '0'), &sum))
            return false;
    *value = sum;
    return word.size > 0;
}

int line_parse_value(struct slice word, struct exposition_value *value)
{
    char text[NUMBER_MAX], *end;
    if (parse_whole(word, &value->whole)) {
        value->is_whole = true;
        value->real = (double)value->whole;
        return 0;
    }
    value->is_whole = false;
    value->whole = 0;
    if (word.size == 0 || word.size >= sizeof(text))
        return -EBADMSG;
    memcpy(text, word.data, word.size);
    text[word.size] = '\0';
    if (parse_word(text, &value->real))
        return 0;
    if (strspn(text, "0123456789+-.eE") != word.size)
        return -EBADMSG;
    value->real = strtod(text, &end);
    return *end == '\0' && end != text ? 0 : -EBADMSG;
}

/* Milliseconds, or seconds with a fraction. */
static int parse_time(struct slice word, bool is_openmetrics, int64_t *time_us)
{
    struct exposition_value value;
    if (line_parse_value(word, &value) < 0 || !isfinite(value.real))
        return -EBADMSG;
    if (!is_openmetrics && (memchr(word.data, '.', word.size) || memchr(word.data, 'e', word.size)))
        return -EBADMSG;
    double const us = value.real * (is_openmetrics ? 1e6 : 1e3);
    if (fabs(us) > 9e18)
        return -EBADMSG;
    *time_us = llround(us);
    return 0;
}

int line_parse_tail(struct slice line, bool is_openmetrics, struct exposition_sample *sample)
{
    sample->has_time = false;
    sample->time_us = 0;
    if (line_parse_value(consume_token(&line), &sample->value) < 0)
        return -EBADMSG;
    if (line.size && line.data[0] != '#') {
        sample->has_time = true;
        if (parse_time(consume_token(&line), is_openmetrics, &sample->time_us) < 0)
            return -EBADMSG;
    }
    /* An exemplar: one sample that is in the number.  Nobody asks for it. */
    return line.size == 0 || (is_openmetrics && line.data[0] == '#') ? 0 : -EBADMSG;
}

enum line_word line_parse_comment(struct slice line, struct slice *name, struct slice *rest)
{
    static const struct {
        const char *word;
        enum line_word means;
    } words[] = {{"HELP", LINE_HELP}, {"TYPE", LINE_TYPE}, {"UNIT", LINE_UNIT}, {"EOF", LINE_EOF}};
    line = slice_from(line, 1);
    skip_blanks(&line);
    struct slice const word = consume_token(&line);
    if (starts_with(line, '"')) { /* a name in quotes */
        const char *end = memchr(line.data + 1, '"', line.size - 1);
        size_t const size = end ? (size_t)(end - line.data) - 1 : line.size - 1;
        *name = (struct slice){line.data + 1, size};
        line = slice_from(line, size + 1 + (end != NULL));
        skip_blanks(&line);
    } else {
        *name = consume_token(&line);
    }
    *rest = line;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (slice_equals(word, slice_of(words[i].word)))
            return words[i].means == LINE_EOF && name->size ? LINE_COMMENT : words[i].means;
    return LINE_COMMENT;
}

enum exposition_type line_parse_type(struct slice word)
{
    word = consume_token(&word);
    for (unsigned i = 0; i < EXPOSITION_TYPES; i++) {
        const char *name = exposition_type_name((enum exposition_type)i);
        if (word.size == strlen(name) && strncasecmp(word.data, name, word.size) == 0)
            return (enum exposition_type)i;
    }
    return EXPOSITION_UNKNOWN;
}
