/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/doctor_options.h"

#include <limits.h>
#include <stdio.h>

#include "cli/shared/answer_file.h"
#include "cli/shared/helper_program.h"
#include "wire/agent.h"

void doctor_read_pages(struct pages_facts *facts, const struct doctor_options *options)
{
    char path[PATH_MAX];
    facts->lacks_program = helper_program_path("memoir-agent", path) < 0;
    pages_facts_read(facts, options->agent ? options->agent : AGENT_SOCKET_PATH);
}

const struct option_rule doctor_rules[] = {
    {"--json", NULL, "print JSON, a stable interface", OPTION_FLAG(struct doctor_options, json)},
    {"--folder", "DIR", "folder where recordings would go (this folder)",
     OPTION_TEXT(struct doctor_options, folder)},
    {"--agent", "PATH", "socket of memoir agent (" AGENT_SOCKET_PATH ")",
     OPTION_TEXT(struct doctor_options, agent)},
    {"--no-color", NULL, "no colours, also on a terminal (as NO_COLOR=1)",
     OPTION_FLAG(struct doctor_options, no_color)},
    {.name = NULL},
};

struct command_help doctor_help(const struct option_set *sets)
{
    return (struct command_help){
        "memoir doctor [PID] [options]",
        "Prints what works on this machine, what does not and why, and the command that enables "
        "each\nmissing part: kernel features and permissions (memoir tries each of them), symbols, "
        "libc, disk.\nThe exit status is 0 when memoir run works.  With PID: whether memoir can "
        "attach to that\nprocess, and if not, why; the exit status is 0 when memoir can attach.",
        "  memoir doctor\n"
        "  memoir doctor 4242\n"
        "  memoir doctor --folder /var/lib/node\n"
        "  memoir doctor --json | jq '.checks[] | select(.state != \"ok\")'\n",
        sets, 1};
}

int doctor_answer(const struct doctor_page *page, const struct doctor_options *options)
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
    return command_failed("doctor", &fault);
}
