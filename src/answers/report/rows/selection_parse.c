/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/selection_parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/nearest.h"
#include "report/rows/selection.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A value with the name that the person knows it by, which sentences repeat: "--at" or "at". */
struct named_value {
    const char *name, *value;
};

/* The metric of ours that `name` is most like, when it is so like one that it must be meant;
 * else NULL. */
static const char *nearest_metric(const char *name)
{
    const char *nearest = metrics[0].name;
    for (const struct metric *other = metrics; other->name; other++)
        if (nearest_distance(name, other->name) < nearest_distance(name, nearest))
            nearest = other->name;
    return nearest_is_near(name, nearest_distance(name, nearest)) ? nearest : NULL;
}

/* A name that every recording knows, or one that may be its own: see selection_find_metrics. */
static int parse_one_metric(struct selection *selection, const char *word, struct fault *fault)
{
    const struct metric *metric = metric_find(word);
    const char *nearest = !metric && strchr(word, '.') ? nearest_metric(word) : NULL;
    if (nearest)
        return fault_set(fault, -EINVAL, "there is no metric \"%s\", did you mean %s?", word,
                         nearest);
    if (!metric) {
        unsigned const at = selection->unknown_count;
        if (at == SIDE_MAX || strlen(word) >= sizeof(selection->unknown_names[0]))
            return selection_no_metric(word, fault);
        strcpy(selection->unknown_names[at], word);
        selection->unknown[at] =
            (struct metric){.name = selection->unknown_names[at], .unit = "", .help = ""};
        selection->unknown_count++;
        metric = &selection->unknown[at];
    }
    selection->metric = metric;
    selection->metric_given = true;
    return 0;
}

static int parse_several_metrics(struct selection *selection, const struct named_value *given,
                                 struct fault *fault)
{
    struct metric_list *list = &selection->several;
    char words[256];
    if (!selection->takes_several)
        return fault_set(fault, -EINVAL,
                         "%s is one metric here; memoir report takes several, side by side",
                         given->name);
    if (snprintf(words, sizeof(words), "%s", given->value) >= (int)sizeof(words))
        return fault_set(fault, -EINVAL, "%s has too long a list of metrics", given->name);
    char *rest = words;
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        int err = parse_one_metric(selection, word, fault);
        if (err)
            return err;
        if (list->count == SIDE_MAX)
            return fault_set(fault, -EINVAL, "%s takes at most %d metrics side by side",
                             given->name, SIDE_MAX);
        list->items[list->count++] = selection->metric;
    }
    selection->metric = list->items[0];
    return 0;
}

static int parse_metric(struct selection *selection, const struct named_value *given,
                        struct fault *fault)
{
    selection->several.count = selection->unknown_count = 0;
    return strchr(given->value, ',') ? parse_several_metrics(selection, given, fault)
                                     : parse_one_metric(selection, given->value, fault);
}

static const char *const grouping_names[] = {
    [BY_STACK] = "stack",   [BY_FUNCTION] = "function", [BY_MODULE] = "module",
    [BY_THREAD] = "thread", [BY_LINE] = "line",         [BY_PHASE] = "phase",
};

static int parse_by(struct selection *selection, const struct named_value *given,
                    struct fault *fault)
{
    for (size_t i = 0; i < COUNT_OF(grouping_names); i++) {
        if (strcmp(given->value, grouping_names[i]) != 0)
            continue;
        selection->by = (enum grouping)i;
        selection->by_given = true;
        return 0;
    }
    return fault_set(fault, -EINVAL,
                     "%s cannot be \"%s\": it is stack, function, module, thread, line or phase",
                     given->name, given->value);
}

static int bad_time(const struct named_value *given, struct fault *fault)
{
    return fault_set(fault, -EINVAL, "%s cannot be \"%s\": %s", given->name, given->value,
                     TIME_POINT_FORMS);
}

static int parse_at(struct selection *selection, const struct named_value *given,
                    struct fault *fault)
{
    if (time_point_parse(slice_of(given->value), &selection->to) < 0)
        return bad_time(given, fault);
    selection->at_given = true;
    selection->between_given = false;
    selection->time_name = given->name;
    return 0;
}

static int parse_between(struct selection *selection, const struct named_value *given,
                         struct fault *fault)
{
    const char *name = given->name;
    if (time_points_parse(slice_of(given->value), &selection->from, &selection->to) < 0)
        return strchr(given->value, ',')
                   ? bad_time(given, fault)
                   : fault_set(fault, -EINVAL,
                               "%s needs two times with a comma, %s 10s,1h30m, or a phase: %s "
                               "phase:NAME",
                               name, name, name);
    if (time_points_turned(&selection->from, &selection->to))
        return fault_set(fault, -EINVAL, "%s needs an earlier and a later time, in order", name);
    selection->between_given = true;
    selection->at_given = false;
    selection->time_name = name;
    return 0;
}

static int parse_top(struct selection *selection, const struct named_value *given,
                     struct fault *fault)
{
    if (human_parse_count(given->value, &selection->top) == 0)
        return 0;
    return fault_set(fault, -EINVAL, "%s cannot be \"%s\": it is a number of rows", given->name,
                     given->value);
}

static int parse_threshold(struct selection *selection, const struct named_value *given,
                           struct fault *fault)
{
    selection->threshold_share = 0;
    selection->threshold_value = 0;
    if (human_parse_share(given->value, &selection->threshold_share) < 0 &&
        human_parse_bytes(given->value, &selection->threshold_value) < 0)
        return fault_set(fault, -EINVAL,
                         "%s cannot be \"%s\": it is a share such as 1%% or a value such as 64K",
                         given->name, given->value);
    selection->threshold_given = true;
    return 0;
}

static int parse_filter(struct selection *selection, const struct named_value *given,
                        struct fault *fault)
{
    selection_fini(selection);
    int const err =
        pattern_compile(given->value, PATTERN_ANYWHERE, given->name, &selection->pattern, fault);
    selection->filter = err ? NULL : given->value;
    return err;
}

struct selection_parser {
    const char *name;
    int (*parse)(struct selection *selection, const struct named_value *given, struct fault *fault);
};

static const struct selection_parser parsers[] = {
    {"metric", parse_metric},      {"by", parse_by},         {"at", parse_at},
    {"between", parse_between},    {"filter", parse_filter}, {"top", parse_top},
    {"threshold", parse_threshold}};
/* Of the later of two selections. */
static const struct selection_parser later_parsers[] = {{"with-at", parse_at},
                                                        {"with", parse_between}};

static const struct selection_parser *find_parser(const char *bare)
{
    for (size_t i = 0; i < COUNT_OF(parsers); i++)
        if (strcmp(parsers[i].name, bare) == 0)
            return &parsers[i];
    for (size_t i = 0; i < COUNT_OF(later_parsers); i++)
        if (strcmp(later_parsers[i].name, bare) == 0)
            return &later_parsers[i];
    return NULL;
}

int selection_parse(void *into, const char *name, const char *value, struct fault *fault)
{
    const struct selection_parser *parser = find_parser(name + strspn(name, "-"));
    struct named_value const given = {name, value};
    if (!parser)
        return fault_set(fault, -EINVAL, "a selection has no %s", name);
    return parser->parse(into, &given, fault);
}

const char *selection_name(size_t index)
{
    return index < COUNT_OF(parsers) ? parsers[index].name : NULL;
}
