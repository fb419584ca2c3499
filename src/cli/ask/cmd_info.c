/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/answer_options.h"
#include "cli/ask/commands.h"
#include "cli/shared/open_input.h"
#include "formats/open/input_path.h"
#include "report/rows/info.h"

static int write_answer(const struct info *info, const struct answer_options *options,
                        struct fault *fault)
{
    FILE *out = answer_open(options->output, fault);
    if (!out)
        return fault->code;
    struct text_style const style = {answer_width(out), answer_wants_color(out, options->no_color)};
    if (options->json)
        json_info_write(info, out); /* its error is the file's, and found at the close */
    else
        text_info_write(info, &style, out);
    return answer_close(out, options->output, fault);
}

static int answer(const char *path, const struct answer_options *options, struct fault *fault)
{
    struct stat about;
    char room[INPUT_PATH_MAX];
    confine_to(path, NULL, options->output, CONFINE_READER);
    struct info info = {
        .path = input_name(path), .recording = open_input(path, fault), .now_unix_ns = unix_ns()};
    if (!info.recording)
        return -EIO;
    const char *found = input_path(path, room, NULL);
    if (found && stat(found, &about) == 0)
        info.file_bytes = (uint64_t)about.st_size;
    int err = findings_make(info.recording, &info.findings);
    if (err)
        fault_set(fault, err, "out of memory");
    else
        err = write_answer(&info, options, fault);
    recording_destroy(info.recording);
    return err;
}

int cmd_info(int argc, char **argv)
{
    struct answer_options options = {0};
    struct fault fault = {.text = ""};
    const struct option_set sets[] = {{"Options", answer_rules, &options}};
    const struct command_help help = {
        "memoir info FILE [--json]",
        "Prints what is in a recording and how far you can trust it: time buckets, stacks, "
        "modules,\nthreads, instants kept in full; lost events, incomplete stacks, frames without "
        "a name, and why.",
        "  memoir info node.4242.memoir\n"
        "  memoir info node.4242.memoir --json | jq .quality.complete_stacks_share\n",
        sets, 1};
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words != 1)
        return command_misused("info", "needs one recording: memoir info FILE");
    if (answer(argv[1], &options, &fault) == 0)
        return 0;
    return command_failed("info", &fault);
}
