/* exposition_line.h - parses one line of metrics.  Only the scratch buffer allocates memory, and
 * there is no state between lines. */
#pragma once

#include "base/vec.h"
#include "formats/metrics/exposition.h"

struct line_label {
    size_t name, name_size, value, value_size; /* in the scratch */
};

/* Name and labels of a sample, with escapes decoded. */
struct line_head {
    VEC(char) scratch;
    size_t name, name_size;
    struct line_label labels[EXPOSITION_LABELS_MAX]; /* sorted by name; none is empty */
    uint32_t label_count;
};

/* Consumes name and labels of `line`, up to the value.  Returns 0; -EBADMSG if this is no sample;
 * -ENOMEM. */
int line_parse_head(struct slice *line, struct line_head *head);
void line_head_fini(struct line_head *head);

/* Parses the rest of the line: value, time, exemplar.  Returns 0 or -EBADMSG. */
int line_parse_tail(struct slice line, bool is_openmetrics, struct exposition_sample *sample);
/* Parses a word that is a number.  Returns 0 or -EBADMSG. */
int line_parse_value(struct slice word, struct exposition_value *value);

enum line_word { LINE_COMMENT, LINE_HELP, LINE_TYPE, LINE_UNIT, LINE_EOF };
/* Parses a line that begins with '#'; `name` and `rest` point into the line. */
enum line_word line_parse_comment(struct slice line, struct slice *name, struct slice *rest);
enum exposition_type line_parse_type(struct slice word);
