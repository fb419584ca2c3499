/* exposition_line.h - one line of metrics, taken apart.  No allocation but in the scratch; no
 * state between lines. */
#pragma once

#include "base/vec.h"
#include "formats/metrics/exposition.h"

struct line_label {
    size_t name, name_size, value, value_size; /* in the scratch */
};

/* Name and labels of a sample, without escapes. */
struct line_head {
    VEC(char) scratch;
    size_t name, name_size;
    struct line_label labels[EXPOSITION_LABELS_MAX]; /* by name; none empty */
    uint32_t label_count;
};

/* Takes name and labels off the front of `line`, up to the first letter of the value.  0;
 * -EBADMSG: that is no sample; -ENOMEM. */
int line_parse_head(struct slice *line, struct line_head *head);
void line_head_fini(struct line_head *head);

/* What follows it: value, time, exemplar; all of it.  Returns 0 or -EBADMSG. */
int line_parse_tail(struct slice line, bool is_openmetrics, struct exposition_sample *sample);
/* A number alone. */
int line_parse_value(struct slice word, struct exposition_value *value);

enum line_word { LINE_COMMENT, LINE_HELP, LINE_TYPE, LINE_UNIT, LINE_EOF };
/* A line that begins with '#'; `name` and `rest` point into it. */
enum line_word line_parse_comment(struct slice line, struct slice *name, struct slice *rest);
enum exposition_type line_parse_type(struct slice word);
