/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/blocks/agreement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 4096u

int agreement_init(struct agreement *agreement, uint64_t end_round)
{
    *agreement = (struct agreement){.texts = string_table_create(), .end_round = end_round};
    return agreement->texts ? 0 : -ENOMEM;
}

void agreement_fini(struct agreement *agreement)
{
    string_table_destroy(agreement->texts);
    vec_each (node, &agreement->nodes)
        free(node->name);
    vec_free(&agreement->nodes);
    vec_free(&agreement->events);
}

static int find_node(struct agreement *agreement, const char *name, uint32_t *index)
{
    size_t const count = agreement->nodes.count;
    for (size_t i = count; i-- > 0;) /* the last one is the one that is being read */
        if (strcmp(agreement->nodes.items[i].name, name) == 0) {
            *index = (uint32_t)i;
            return 0;
        }
    struct agreement_node node = {.name = strdup(name), .round_start_us = AGREEMENT_NO_TIME};
    if (count >= NODES_MAX || !node.name || !vec_push(&agreement->nodes, node)) {
        free(node.name);
        return count >= NODES_MAX ? -E2BIG : -ENOMEM;
    }
    *index = (uint32_t)count;
    return 0;
}

bool agreement_has_weight(const char *type)
{
    static const char *const without[] = {"StepTimeout", "VoteAttest", "BlockAssembled",
                                          "BlockPipelined"};
    for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
        if (strcmp(type, without[i]) == 0)
            return false;
    return strncmp(type, "Proposal", 8) != 0;
}

int agreement_handle(void *context, const char *node, const struct log_event *event)
{
    struct agreement *agreement = context;
    if (strcmp(event->context, "Agreement") != 0 || event->type[0] == '\0' ||
        strcmp(event->type, "Persisted") == 0) {
        agreement->others++;
        return 0;
    }
    if (agreement->end_round && event->at.round > agreement->end_round)
        return 1;
    if (event->time_us == INT64_MIN) {
        agreement->timeless++;
        return 0;
    }
    struct agreement_event kept = {.time_us = event->time_us,
                                   .order = agreement->events.count,
                                   .at = event->at,
                                   .object = event->object,
                                   .weight = event->weight,
                                   .weight_total = event->weight_total,
                                   .round_us = AGREEMENT_NO_TIME};
    int err = find_node(agreement, node, &kept.node);
    if (!err)
        err = string_table_intern(agreement->texts, slice_of(event->type), &kept.type);
    if (!err)
        err = string_table_intern(agreement->texts, slice_of(event->hash), &kept.hash);
    if (!err)
        err = string_table_intern(agreement->texts, slice_of(event->sender), &kept.sender);
    if (!err && !vec_push(&agreement->events, kept))
        err = -ENOMEM;
    return err;
}

static int time_order(const void *left, const void *right)
{
    const struct agreement_event *a = left, *b = right;
    if (a->time_us != b->time_us)
        return a->time_us < b->time_us ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void agreement_sort(struct agreement *agreement)
{
    if (agreement->events.count == 0)
        return;
    qsort(agreement->events.items, agreement->events.count, sizeof(agreement->events.items[0]),
          time_order);
    vec_each (event, &agreement->events) {
        const char *type = string_table_text(agreement->texts, event->type);
        struct agreement_node *node = &agreement->nodes.items[event->node];
        if (strcmp(type, "RoundStart") == 0)
            node->round_start_us = event->time_us;
        else if (strcmp(type, "RoundConcluded") == 0 && node->round_start_us != AGREEMENT_NO_TIME)
            event->round_us = event->time_us - node->round_start_us;
    }
}
