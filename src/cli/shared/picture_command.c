/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/picture_command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/shared/open_input.h"

void picture_pick_rules(const struct picture_rule *wanted,
                        struct option_rule rules[PICTURE_RULES_MAX])
{
    size_t count = 0;
    for (; wanted->name; wanted++) {
        const struct option_rule *rule = selection_rules;
        while (rule->name && strcmp(rule->name, wanted->name) != 0)
            rule++;
        if (!rule->name || count + 1 == PICTURE_RULES_MAX)
            continue;
        rules[count] = *rule;
        if (wanted->help)
            rules[count].help = wanted->help;
        count++;
    }
    rules[count] = (struct option_rule){0};
}

int picture_run(const struct picture_job *job, const char *path)
{
    return picture_run_as(job, path, picture_format_of);
}

int picture_run_as(const struct picture_job *job, const char *path,
                   picture_find_format *find_format)
{
    struct fault fault = {0};
    enum picture_format format = PICTURE_SVG;
    int status = 2;
    struct recording *recording = NULL;
    int err =
        path ? find_format(job->output, &format, &fault)
             : fault_set(&fault, -EINVAL, "give one FILE, a recording: memoir %s FILE -o out.svg",
                         job->command);
    if (!err) {
        status = 1;
        confine_to(path, job->other, job->output, job->confined_as);
        recording = open_selected_input(path, job->selection, &fault);
        err = recording ? job->draw(job->context, recording, format, &fault) : -EIO;
    }
    if (err && fault.text[0])
        fprintf(stderr, "memoir %s: %s\n", job->command, fault.text);
    recording_destroy(recording);
    return err ? status : 0;
}
