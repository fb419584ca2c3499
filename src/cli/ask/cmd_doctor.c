/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/ask/commands.h"
#include "cli/shared/doctor_options.h"
#include "cli/shared/helper_program.h"
#include "cli/ask/trial_run.h"

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
    {"memoir-agent", "pages through BPF",
     "sudo apt-get install libbpf-dev clang bpftool, then build memoir again", false},
};

static void judge_programs(struct checkup *checkup)
{
    char path[PATH_MAX];
    bool const found = library_path(path) == 0;
    bool const usable = found && !strpbrk(path, " :");
    struct check *check = checkup_add(
        checkup, "programs", "libmemoir.so", usable ? CHECK_OK : CHECK_MISSING, "%.180s%s", path,
        !found    ? " is not there"
        : !usable ? " contains a space or a colon, where the loader would end the name"
                  : "");
    if (!usable)
        check_set_command(check, found ? "install memoir in another folder" : programs[0].command);
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

static int examine_machine(const struct doctor_options *options)
{
    struct machine_facts facts;
    struct checkup checkup = {.count = 0};
    char heading[320];
    struct trial const trial = trial_run();
    machine_facts_read(&facts, options->folder ? options->folder : ".");
    doctor_read_pages(&facts.pages, options);
    checkup_judge_works(&checkup, &facts, &trial);
    checkup_judge(&checkup, &facts);
    judge_programs(&checkup);
    snprintf(heading, sizeof(heading), "memoir " MEMOIR_VERSION " on %s%s%s %s", facts.system,
             facts.system[0] ? ", " : "", facts.kernel, facts.architecture);
    struct doctor_page const page = {&checkup, heading, MEMOIR_VERSION};
    int const status = doctor_answer(&page, options);
    return status ? status : trial.worked ? 0 : 1;
}

/* A process is looked at by the program that would attach to it. */
static int examine_process(char *pid, const struct doctor_options *options)
{
    char path[PATH_MAX];
    char name[] = "memoir", command[] = "doctor", json[] = "--json", plain[] = "--no-color";
    char agent[] = "--agent", socket[PATH_MAX];
    char *words[8] = {name, command, pid};
    size_t count = 3;
    if (options->json)
        words[count++] = json;
    if (options->no_color)
        words[count++] = plain;
    if (options->agent) {
        snprintf(socket, sizeof(socket), "%s", options->agent);
        words[count++] = agent;
        words[count++] = socket;
    }
    int const err = helper_program_path("memoir-record", path);
    if (!err)
        execv(path, words);
    fprintf(stderr, "memoir doctor: cannot start memoir-record (%s): install it beside memoir\n",
            strerror(err ? -err : errno));
    return 1;
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor_options options = {0};
    const struct option_set sets[] = {{"Options", doctor_rules, &options}};
    const struct command_help help = doctor_help(sets);
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words == 1)
        return examine_process(argv[1], &options);
    if (words > 1)
        return command_misused("doctor", "one process at a time, please");
    return examine_machine(&options);
}
