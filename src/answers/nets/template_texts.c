/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/template_texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nets/shipped_templates.h"

void template_list_fini(struct template_list *list)
{
    free(list->name);
    free(list->of);
    free(list->item);
    free(list->join);
}

void template_group_fini(struct template_group *group)
{
    vec_each (file, &group->files) {
        free(file->path);
        free(file->text);
    }
    vec_free(&group->files);
    text_list_fini(&group->command);
    text_list_fini(&group->env);
    text_list_fini(&group->ports);
    text_list_fini(&group->targets);
    char *texts[] = {group->name,        group->naming,    group->role,           group->class_name,
                     group->pid_file,    group->url,       group->metrics_url,    group->pprof_url,
                     group->data_folder, group->ready_url, group->ready_contains, group->ready_file,
                     group->ready_port,  group->load,      group->wallet};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        free(texts[i]);
}

void template_fini(struct net_template *plan)
{
    vec_each (need, &plan->needs) {
        free(need->program);
        free(need->package);
    }
    vec_each (setting, &plan->settings) {
        free(setting->name);
        free(setting->value);
    }
    vec_free(&plan->settings);
    vec_each (list, &plan->lists)
        template_list_fini(list);
    vec_each (command, &plan->setup)
        text_list_fini(&command->words);
    vec_each (command, &plan->teardown)
        text_list_fini(&command->words);
    vec_each (group, &plan->groups)
        template_group_fini(group);
    text_list_fini(&plan->watch);
    vec_free(&plan->needs);
    vec_free(&plan->lists);
    vec_free(&plan->setup);
    vec_free(&plan->teardown);
    vec_free(&plan->groups);
    free(plan->name);
    free(plan->about);
    *plan = (struct net_template){0};
}

int template_set(struct net_template *plan, const char *text, struct fault *fault)
{
    size_t const length = strcspn(text, "=");
    vec_each (setting, &plan->settings)
        if (text[length] == '=' && strlen(setting->name) == length &&
            memcmp(setting->name, text, length) == 0)
            return text_set(&setting->value, text + length + 1)
                       ? 0
                       : fault_set(fault, -ENOMEM, "out of memory");
    return fault_set(fault, -EINVAL, "--set %.100s: the template %s has no such setting", text,
                     plan->name);
}

const char *template_shipped(size_t index, const char **text)
{
    static const struct {
        const char *name, *text;
    } shipped[] = {{"etcd-3", shipped_etcd_3},
                   {"etcd-relay", shipped_etcd_relay},
                   {"etcd-leaves", shipped_etcd_leaves},
                   {"monero-3", shipped_monero_3}};
    if (index >= sizeof(shipped) / sizeof(shipped[0]))
        return NULL;
    *text = shipped[index].text;
    return shipped[index].name;
}
