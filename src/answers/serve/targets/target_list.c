/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/target_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/runs/run_recording.h"
#include "serve/http/request_text.h"
#include "serve/targets/served_run.h"

struct node_known {
    uint32_t kinds; /* a bit for each enum run_kind that is a target */
    char nick[];
};

static int add_target(struct target_list *list, const struct target_options *options,
                      struct fault *fault)
{
    if (!vec_reserve(&list->items, 1))
        return fault_set(fault, -ENOMEM, "out of memory");
    struct fault why = {.text = ""};
    struct target *target = target_open(options, &why);
    if (!target) {
        if (fault)
            *fault = why;
        return why.code ? why.code : -EIO;
    }
    vec_push(&list->items, target);
    return 0;
}

static int check_count(struct target_list *list, struct fault *fault)
{
    if (list->named == TARGETS_MOST)
        return fault_set(fault, -E2BIG, "at most %d recordings can be served at once",
                         TARGETS_MOST);
    list->named++;
    return 0;
}

int target_list_open(struct target_list *list, const struct target_options *options,
                     struct fault *fault)
{
    int const err = check_count(list, fault);
    return err ? err : add_target(list, options, fault);
}

/* Where the node of this nick is among those that are known, or belongs. */
static size_t place_of(const struct run_served *served, const char *nick, bool *is_known)
{
    size_t const at = vec_lower_bound(&served->nodes, node, strcmp((*node)->nick, nick) < 0);
    *is_known = at < served->nodes.count && strcmp(served->nodes.items[at]->nick, nick) == 0;
    return at;
}

static struct node_known *know_node(struct run_served *served, const char *nick)
{
    bool is_known;
    size_t const place = place_of(served, nick, &is_known);
    if (is_known)
        return served->nodes.items[place];
    struct node_known *node = calloc(1, sizeof(*node) + strlen(nick) + 1);
    if (!node || !vec_push(&served->nodes, node)) {
        free(node);
        return NULL;
    }
    memcpy(node->nick, nick, strlen(nick) + 1);
    memmove(served->nodes.items + place + 1, served->nodes.items + place,
            (served->nodes.count - 1 - place) * sizeof(struct node_known *));
    served->nodes.items[place] = node;
    return node;
}

static int add_kinds(struct target_list *list, struct run_served *served, uint32_t node)
{
    const struct run *run = served_run_content(served->run);
    struct node_known *known = know_node(served, run->nodes.items[node].nick);
    int err = known ? 0 : -ENOMEM;
    for (unsigned kind = 0; kind < RUN_KINDS && !err; kind++) {
        const struct run_file *first;
        const char *word = run_kind_word(kind);
        if (!word || (known->kinds & 1u << kind) || run_files_of(run, node, kind, &first) == 0)
            continue;
        struct target_options options = served->options;
        options.kind = TARGET_NODE;
        options.nick = known->nick;
        options.profile = word;
        err = add_target(list, &options, NULL);
        if (!err)
            known->kinds |= 1u << kind;
    }
    return err;
}

/* What is not added for a lack of memory is tried again with the next look. */
static void add_nodes(struct target_list *list, struct run_served *served)
{
    const struct run *run = served_run_content(served->run);
    if (!run || served->version == served_run_version(served->run))
        return;
    int err = 0;
    for (uint32_t node = 0; node < run->nodes.count && !err; node++)
        err = add_kinds(list, served, node);
    served->version = served_run_version(served->run);
}

int target_list_open_run(struct target_list *list, const struct target_options *options,
                         struct fault *fault)
{
    int err = check_count(list, fault);
    if (err)
        return err;
    struct run_served served = {.run = served_run_open(options->path, fault), .options = *options};
    if (!served.run)
        return -ENOENT;
    served.options.kind = TARGET_RUN;
    served.options.path = NULL;
    served.options.run = served.run;
    if (!vec_push(&list->runs, served)) {
        served_run_close(served.run);
        return fault_set(fault, -ENOMEM, "out of memory");
    }
    err = add_target(list, &served.options, fault);
    if (!err)
        add_nodes(list, &list->runs.items[list->runs.count - 1]);
    return err;
}

/* Only what is read when it is asked about: the rest stays. */
static void let_rest(struct target_list *list)
{
    for (;;) {
        struct target *oldest = NULL;
        size_t open = 0;
        vec_each (target, &list->items) {
            if (!target_is_read_late(*target) || !target_is_open(*target))
                continue;
            open++;
            if (!oldest || target_used_ns(*target) < target_used_ns(oldest))
                oldest = *target;
        }
        if (open <= TARGETS_OPEN_MOST)
            return;
        target_rest(oldest);
    }
}

void target_list_tend(struct target_list *list)
{
    vec_each (served, &list->runs) {
        served_run_look(served->run);
        add_nodes(list, served);
    }
    if (list->runs.count == 0)
        return;
    let_rest(list);
    vec_each (target, &list->items)
        target_tend(*target);
}

bool target_list_sum_up(struct target_list *list, uint64_t budget_ns)
{
    size_t open = 0;
    vec_each (target, &list->items)
        open += target_is_open(*target);
    if (open == 0)
        return false;
    vec_each (target, &list->items)
        if (target_is_open(*target) && target_sum_up(*target, SUMS_BYTES_MOST / open, budget_ns))
            return true;
    return false;
}

void target_list_close(struct target_list *list)
{
    vec_each (target, &list->items)
        target_close(*target);
    vec_each (served, &list->runs) {
        vec_each (node, &served->nodes)
            free(*node);
        vec_free(&served->nodes);
        served_run_close(served->run);
    }
    vec_free(&list->items);
    vec_free(&list->runs);
}

struct target *target_list_find(const struct target_list *list, const char *id)
{
    uint64_t place;
    if (number_parse(id, 1, list->items.count, &place) < 0)
        return NULL;
    return list->items.items[place - 1];
}

static struct target *select_by_id(const struct target_list *list, const char *id,
                                   const struct request *request, struct answer *answer)
{
    struct target *target = target_list_find(list, id);
    if (!target)
        answer_error(answer, request, 404,
                     "There is no target \"%.40s\" here: /api/targets lists all targets.", id);
    return target;
}

struct target *target_list_select(const struct target_list *list, const struct request *request,
                                  struct answer *answer)
{
    const char *id = request_parameter(request, "target");
    const char *text = request_parameter(request, "pid");
    uint64_t pid;
    if (id)
        return select_by_id(list, id, request, answer);
    if (!text)
        return list->items.items[0];
    if (number_parse(text, 1, UINT32_MAX, &pid) < 0) {
        answer_error(answer, request, 400,
                     "pid is the PID of a served process: /api/targets lists all targets.");
        return NULL;
    }
    vec_each (target, &list->items)
        if (target_known_pid(*target) == pid)
            return *target;
    answer_error(answer, request, 404,
                 "Process %u is not served here: /api/targets lists all targets.", (unsigned)pid);
    return NULL;
}
