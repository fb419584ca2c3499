/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/fill.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "nets/placeholders.h"
#include "nets/ports.h"

static const char *const no_memory = "out of memory, or more than 512 processes";

static int add_ports(struct net_part *part, const struct template_group *group,
                     const struct net *old)
{
    const struct net_part *before = old ? net_find(old, part->name) : NULL;
    vec_each (name, &group->ports) {
        struct net_port port = {0};
        size_t const length = strcspn(*name, "=");
        port.name = strndup(*name, length);
        if ((*name)[length] == '=')
            port.number = (uint16_t)strtoul(*name + length + 1, NULL, 10);
        else if (before && port.name)
            port.number = net_port_of(before, port.name);
        if (!port.name || !vec_push(&part->ports, port)) {
            free(port.name);
            return -ENOMEM;
        }
    }
    return 0;
}

/* A name is used for files: letters, digits, dots and dashes. */
static int check_name(const struct net *net, const char *name, struct fault *fault)
{
    if (name[0] == '\0' || name[0] == '.' || strlen(name) > 100 ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")])
        return fault_set(
            fault, -EINVAL,
            "a node cannot be called \"%s\": letters, digits, dots and dashes make a name", name);
    if (net_find(net, name))
        return fault_set(fault, -EEXIST, "two nodes are called %s: use {i} in their name", name);
    return 0;
}

/* "m{i}": a name comes before all else, so there is nothing to look up in it but the number. */
static void make_name(const struct template_group *group, uint32_t number, char *name, size_t size)
{
    const char *naming = group->naming, *mark = naming ? strstr(naming, "{i}") : NULL;
    if (!naming && group->count > 1)
        snprintf(name, size, "%s%u", group->name, number);
    else if (!mark)
        snprintf(name, size, "%s", naming ? naming : group->name);
    else
        snprintf(name, size, "%.*s%u%s", (int)(mark - naming), naming, number, mark + 3);
}

static int add_group(struct net *net, const struct template_group *group, unsigned stage,
                     const struct fill_options *options, struct fault *fault)
{
    uint32_t const count = group->scales && options->nodes ? options->nodes : group->count;
    int err = 0;
    for (uint32_t i = 0; !err && i < count; i++) {
        char name[256];
        make_name(group, i, name, sizeof(name));
        if ((err = check_name(net, name, fault)) != 0)
            break;
        struct net_part *part = net_add(net, name, group->kind);
        if (!part)
            return fault_set(fault, -ENOMEM, "%s", no_memory);
        part->stage = stage;
        if (group->kind == PART_NODE)
            part->folder = net_path(net, "data/%s", name);
        if (add_ports(part, group, options->old) != 0 ||
            (group->kind == PART_NODE && !part->folder))
            err = fault_set(fault, -ENOMEM, "%s", no_memory);
    }
    return err;
}

static int add_commands(struct net *net, size_t count, enum part_kind kind, struct fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "%s%zu", part_kind_names[kind], i);
        struct net_part *part = net_add(net, name, kind);
        if (!part)
            return fault_set(fault, -ENOMEM, "%s", no_memory);
        part->stage = (unsigned)i;
    }
    return 0;
}

static bool add_word(text_list *words, const char *option, const char *value)
{
    return text_list_add(words, option) && text_list_add(words, value);
}

/* A load generator is this program again. */
static int fill_load(const struct scope *scope, struct net_part *part,
                     const struct fill_options *options, size_t generators, struct fault *fault)
{
    char tps[32], size[32];
    const struct template_group *group = scope->group;
    text_list targets = {0};
    snprintf(tps, sizeof(tps), "%.9g",
             options->tps > 0 ? options->tps / (double)generators : group->tps);
    snprintf(size, sizeof(size), "%u", group->value_bytes ? group->value_bytes : 64);
    int err = placeholders_fill_words(scope, &group->targets, &targets, fault);
    bool good =
        !err && text_list_add(&part->argv, options->cluster) &&
        add_word(&part->argv, "net", "load") && add_word(&part->argv, "--kind", group->load) &&
        add_word(&part->argv, "--name", part->name) && add_word(&part->argv, "--tps", tps) &&
        add_word(&part->argv, "--value-bytes", size) &&
        (!group->wallet || add_word(&part->argv, "--wallet", group->wallet));
    vec_each (target, &targets)
        good = good && text_list_add(&part->argv, *target);
    text_list_fini(&targets);
    return err ? err : good ? 0 : fault_set(fault, -ENOMEM, "%s", no_memory);
}

static int fill_ready(const struct scope *scope, struct net_part *part, struct fault *fault)
{
    const struct template_group *group = scope->group;
    part->ready.seconds = group->ready_seconds;
    if (group->ready_port && !(part->ready.port = net_port_of(part, group->ready_port)))
        return fault_set(fault, -EINVAL, "%s has no port called %s", part->name, group->ready_port);
    int err = placeholders_fill(scope, group->ready_url, &part->ready.url, fault);
    if (!err)
        err = placeholders_fill(scope, group->ready_file, &part->ready.file, fault);
    if (!err && !text_set(&part->ready.contains, group->ready_contains))
        err = fault_set(fault, -ENOMEM, "%s", no_memory);
    return err;
}

static int fill_node(const struct scope *scope, struct net_part *part, struct fault *fault)
{
    const struct template_group *group = scope->group;
    struct {
        const char *from;
        char **to;
    } const texts[] = {{group->pid_file, &part->pid_file},
                       {group->url, &part->url},
                       {group->metrics_url, &part->metrics_url},
                       {group->pprof_url, &part->pprof_url},
                       {group->data_folder, &part->data_folder}};
    int err = placeholders_fill_words(scope, &group->command, &part->argv, fault);
    if (!err)
        err = placeholders_fill_words(scope, &group->env, &part->env, fault);
    for (size_t i = 0; !err && i < sizeof(texts) / sizeof(texts[0]); i++)
        err = placeholders_fill(scope, texts[i].from, texts[i].to, fault);
    if (!err && (!text_set(&part->role, group->role ? group->role : "") ||
                 !text_set(&part->class_name, group->class_name)))
        err = fault_set(fault, -ENOMEM, "%s", no_memory);
    return err ? err : fill_ready(scope, part, fault);
}

static int fill_part(struct net *net, const struct net_template *plan, struct net_part *part,
                     const struct fill_options *options, struct fault *fault)
{
    struct scope const scope = {net, plan, part, group_of(plan, part), 0};
    struct scope const nobody = {net, plan, NULL, NULL, 0};
    switch (part->kind) {
    case PART_SETUP:
        return placeholders_fill_words(&nobody, &plan->setup.items[part->stage].words, &part->argv,
                                       fault);
    case PART_TEARDOWN:
        return placeholders_fill_words(&nobody, &plan->teardown.items[part->stage].words,
                                       &part->argv, fault);
    case PART_LOAD:
        return fill_load(&scope, part, options, net_count(net, PART_LOAD, PART_PLANNED), fault);
    default:
        return fill_node(&scope, part, fault);
    }
}

static int make_id(struct net *net)
{
    unsigned char random[12];
    char text[2 * sizeof(random) + 1];
    if (getrandom(random, sizeof(random), 0) != sizeof(random))
        return -errno;
    for (size_t i = 0; i < sizeof(random); i++)
        snprintf(text + 2 * i, 3, "%02x", random[i]);
    return text_set(&net->id, text) ? 0 : -ENOMEM;
}

static int plan_parts(struct net *net, const struct net_template *plan,
                      const struct fill_options *options, struct fault *fault)
{
    int err = add_commands(net, plan->setup.count, PART_SETUP, fault);
    for (size_t i = 0; !err && i < plan->groups.count; i++)
        err = add_group(net, &plan->groups.items[i], (unsigned)(plan->setup.count + i), options,
                        fault);
    if (!err)
        err = add_commands(net, plan->teardown.count, PART_TEARDOWN, fault);
    return err;
}

int net_fill(struct net *net, const struct net_template *plan, const struct fill_options *options,
             struct fault *fault)
{
    *net = (struct net){.grace_seconds = 10};
    int err = text_set(&net->dir, options->dir) && text_set(&net->template_name, plan->name)
                  ? make_id(net)
                  : -ENOMEM;
    if (err)
        fault_set(fault, err, "cannot begin a network: %s", strerror(-err));
    if (!err)
        err = plan_parts(net, plan, options, fault);
    if (!err)
        err = ports_choose(net, fault);
    vec_each (part, &net->parts)
        if (!err)
            err = fill_part(net, plan, part, options, fault);
    if (err)
        net_fini(net);
    return err;
}

static int make_folder(const char *path, struct fault *fault)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return 0;
    return fault_set(fault, -errno, "cannot make %s: %s", path, strerror(errno));
}

static int make_file(const struct scope *scope, const struct template_file *plan,
                     struct fault *fault)
{
    char *path = NULL, *text = NULL;
    int err = placeholders_fill(scope, plan->path, &path, fault);
    if (!err)
        err = placeholders_fill(scope, plan->text, &text, fault);
    FILE *file = err ? NULL : fopen(path, "we");
    bool is_written = file && fputs(text, file) != EOF;
    if (file && fclose(file) != 0)
        is_written = false;
    if (!err && !is_written)
        err = fault_set(fault, -errno, "cannot write %s: %s", path, strerror(errno));
    free(path);
    free(text);
    return err;
}

int net_make_files(const struct net *net, const struct net_template *plan, struct fault *fault)
{
    char *data = net_path(net, "data");
    int err = data ? make_folder(data, fault) : -ENOMEM;
    free(data);
    vec_each (part, &net->parts) {
        struct scope const scope = {net, plan, part, group_of(plan, part), 0};
        if (!err && part->folder)
            err = make_folder(part->folder, fault);
        if (err || !scope.group)
            continue;
        vec_each (file, &scope.group->files)
            if (!err)
                err = make_file(&scope, file, fault);
    }
    return err;
}
