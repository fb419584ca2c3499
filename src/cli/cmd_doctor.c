/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/answer_file.h"
#include "cli/commands.h"
#include "cli/helper_program.h"
#include "cli/options.h"
#include "cli/trial_run.h"
#include "report/doctor_report.h"

struct doctor_options {
    bool json, no_color;
    const char *folder;
};

static int take_json(void *into, const char *argument, struct fault *fault)
{
    (void)argument, (void)fault;
    ((struct doctor_options *)into)->json = true;
    return 0;
}

static int take_no_color(void *into, const char *argument, struct fault *fault)
{
    (void)argument, (void)fault;
    ((struct doctor_options *)into)->no_color = true;
    return 0;
}

static int take_folder(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    ((struct doctor_options *)into)->folder = argument;
    return 0;
}

static const struct option_rule doctor_rules[] = {
    {"--json", NULL, "the answer as JSON, a stable interface", take_json},
    {"--folder", "DIR", "where recordings would go; this folder unless given", take_folder},
    {"--no-color", NULL, "no colours, also on a terminal (as NO_COLOR=1)", take_no_color},
    {NULL, NULL, NULL, NULL},
};

/* What a whole memoir consists of, besides the program that is running. */
static const struct {
    const char *name, *gives, *command;
    bool is_needed;
} programs[] = {
    {"memoir-record", "records", "install memoir again, or run it from its build folder", true},
    {"memoir-png", "PNG pictures", "sudo apt-get install librsvg2-dev, then build memoir again",
     false},
    {"memoir-top", "live view", "sudo apt-get install libncurses-dev, then build memoir again",
     false},
};

static void judge_programs(struct checkup *checkup)
{
    char path[PATH_MAX];
    bool const found = library_path(path) == 0;
    bool const usable = found && !strpbrk(path, " :");
    struct check *check = checkup_add(
        checkup, "programs", "libmemoir.so", usable ? CHECK_OK : CHECK_MISSING, "%.180s%s", path,
        !found    ? " is not there"
        : !usable ? " has a space or a colon in it, which the loader takes for the end of a name"
                  : "");
    if (!usable)
        check_set_command(check, found ? "put memoir elsewhere" : programs[0].command);
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        bool const is_there = helper_program_path(programs[i].name, path) == 0;
        enum check_state const otherwise = programs[i].is_needed ? CHECK_MISSING : CHECK_NOTE;
        check = checkup_add(checkup, "programs", programs[i].name, is_there ? CHECK_OK : otherwise,
                            "%.180s%s%s", is_there ? path : "not there: no ",
                            is_there ? "" : programs[i].gives, "");
        if (!is_there)
            check_set_command(check, programs[i].command);
    }
}

static int write_answer(const struct doctor_page *page, const struct doctor_options *options)
{
    struct fault fault = {.text = ""};
    struct text_style const style = {answer_width(stdout),
                                     answer_wants_color(stdout, options->no_color)};
    if (options->json)
        doctor_json_write(page, stdout); /* its error is the file's, and found at the close */
    else
        doctor_text_write(page, &style, stdout);
    if (answer_close(stdout, NULL, &fault) == 0)
        return 0;
    fprintf(stderr, "memoir doctor: %s\n", fault.text);
    return 1;
}

static int examine_machine(const struct doctor_options *options)
{
    struct machine_facts facts;
    struct checkup checkup = {.count = 0};
    char heading[320];
    struct trial const trial = trial_run();
    machine_facts_read(&facts, options->folder ? options->folder : ".");
    checkup_judge_works(&checkup, &facts, &trial);
    checkup_judge(&checkup, &facts);
    judge_programs(&checkup);
    snprintf(heading, sizeof(heading), "memoir " MEMOIR_VERSION " on %s%s%s %s", facts.system,
             facts.system[0] ? ", " : "", facts.kernel, facts.architecture);
    struct doctor_page const page = {&checkup, heading, MEMOIR_VERSION};
    int const status = write_answer(&page, options);
    return status ? status : trial.worked ? 0 : 1;
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor_options options = {0};
    const struct option_set sets[] = {{"Options", doctor_rules, &options}};
    const struct command_help help = {
        "memoir doctor [options]",
        "Tells what works on this machine, what does not and why, and the exact command to get "
        "the\n"
        "rest: kernel features and permissions, each found out by trying it, symbols, libc, disk.\n"
        "The exit status is 0 when memoir run works.",
        "  memoir doctor\n"
        "  memoir doctor --folder /var/lib/node\n"
        "  memoir doctor --json | jq '.checks[] | select(.state != \"ok\")'\n",
        sets, 1};
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words > 0) {
        fprintf(stderr, "memoir doctor: \"%s\" is too much: memoir doctor looks at this machine\n",
                argv[1]);
        return 2;
    }
    return examine_machine(&options);
}
