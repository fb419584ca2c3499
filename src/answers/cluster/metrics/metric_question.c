/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/metrics/metric_curves.h"

int curve_question_filter(struct curve_question *question, const char *text, struct fault *fault)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return fault_set(fault, -EINVAL, "-t cannot be \"%s\": give LABEL=VALUE", text);
    struct label_filter const filter = {strndup(text, (size_t)(equals - text)), strdup(equals + 1)};
    if (!filter.label || !filter.value || !vec_push(&question->filters, filter)) {
        free(filter.label);
        free(filter.value);
        return fault_set(fault, -ENOMEM, "out of memory");
    }
    return 0;
}

void curve_question_fini(struct curve_question *question)
{
    vec_each (filter, &question->filters) {
        free(filter->label);
        free(filter->value);
    }
    vec_free(&question->filters);
    vec_free(&question->names);
}

/* NAME, and of histograms the buckets of NAME. */
bool curve_question_wants(void *context, const struct exposition_series *series)
{
    const struct curve_question *question = context;
    if (question->names.count == 0)
        return true;
    vec_each (name, &question->names) {
        size_t const size = strlen(*name);
        if (strcmp(*name, series->name) == 0 ||
            (question->mode == CURVE_QUANTILE && strncmp(*name, series->name, size) == 0 &&
             strcmp(series->name + size, "_bucket") == 0))
            return true;
    }
    return false;
}

static const char *label_value(const struct series_set *set, const struct series *series,
                               const char *label)
{
    const struct run_node *node = &set->run->nodes.items[series->node];
    const char *own = exposition_label_of(series->is, label);
    return own                          ? own
           : strcmp(label, "n") == 0    ? node->name
           : strcmp(label, "role") == 0 ? node->role
                                        : "";
}

bool curve_question_fits(const struct curve_question *question, const struct series_set *set,
                         const struct series *series)
{
    for (size_t i = 0; i < question->filters.count; i++) {
        const struct label_filter *filter = &question->filters.items[i];
        const char *value = label_value(set, series, filter->label);
        bool fits = false;
        vec_each (other, &question->filters)
            fits |= strcmp(other->label, filter->label) == 0 && value &&
                    strcmp(other->value, value) == 0;
        if (!fits)
            return false;
    }
    return true;
}

static bool has_node(const struct node_group *group, uint32_t node)
{
    size_t const at = vec_lower_bound(&group->nodes, other, *other < node);
    return at < group->nodes.count && group->nodes.items[at] == node;
}

const struct node_group *node_group_of(const struct node_groups *groups, uint32_t node)
{
    vec_each (group, &groups->groups)
        if (has_node(group, node))
            return group;
    return NULL;
}
