/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "analyze/plausible.h"
#include "base/human.h"
#include "capture/recorder.h"
#include "cli/helper_program.h"
#include "cli/options.h"
#include "cli/record_commands.h"
#include "report/doubt_text.h"

#define MAX_SIZE_DEFAULT   (256ull << 20)
#define MAX_SIZE_LEAST     (64ull << 10)
#define ALLOCATOR_NAME_MAX 32

static int take_output(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    ((struct recorder_options *)into)->output = argument;
    return 0;
}

static int take_max_size(void *into, const char *argument, struct fault *fault)
{
    struct recorder_options *options = into;
    int err = human_parse_bytes(argument, &options->max_bytes);
    if (err == 0 && options->max_bytes < MAX_SIZE_LEAST)
        return fault_set(fault, -ERANGE, "--max-size %s is too small; give at least 64K", argument);
    return err;
}

static int take_for(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    return human_parse_duration(argument, &((struct recorder_options *)into)->for_ns);
}

static int take_children(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct recorder_options *)into)->follow_children = true;
    return 0;
}

static int take_allocator(void *into, const char *argument, struct fault *fault)
{
    size_t size = strlen(argument);
    if (size == 0 || size >= ALLOCATOR_NAME_MAX)
        return fault_set(
            fault, -EINVAL,
            "--allocator %s: give the first letters of the functions' names, such as je_",
            argument);
    ((struct recorder_options *)into)->allocator = argument;
    return 0;
}

static int take_quiet(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct recorder_options *)into)->quiet = true;
    return 0;
}

static int take_heap(void *into, const char *argument, struct fault *fault)
{
    (void)into;
    if (strcmp(argument, "full") == 0)
        return 0;
    return fault_set(fault, -EINVAL, "--heap %s is not there yet; only full is", argument);
}

static const struct option_rule rules[] = {
    {"-o", "FILE", "where to write; PROGRAM.PID.memoir in this folder unless given", take_output},
    {"--max-size", "SIZE", "keep the file below this (256M); older times get coarser",
     take_max_size},
    {"--for", "TIME", "stop recording after this time; the program goes on", take_for},
    {"--children", NULL, "record processes that it starts, too, each in its own file",
     take_children},
    {"--allocator", "PREFIX",
     "also record the allocator inside the program whose functions begin so: PREFIXmalloc, ...",
     take_allocator},
    {"--heap", "full", "trace every allocation (the default)", take_heap},
    {"--quiet", NULL, "say nothing but errors", take_quiet},
    {NULL, NULL, NULL, NULL}};

/* As a shell: 128 plus the signal. */
static int exit_status(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/* As a shell: not found is 127, found but not to be run is 126. */
static int failure_status(int err)
{
    if (err == -ENOENT)
        return 127;
    return err == -EACCES || err == -ENOEXEC || err == -EPERM ? 126 : 1;
}

/* The gravest doubt about a recording, if there is one. */
static void judge(const struct recording *recording, char *sentence, size_t size)
{
    struct plausibility found;
    struct text_line line = {0};
    plausible_check(recording, &found);
    if (found.count > 0)
        doubt_render(recording, &found, &found.doubts[0], &line);
    snprintf(sentence, size, "%s", line.text);
}

static int run(struct recorder_options *options)
{
    struct recorder_result result;
    struct fault fault = {0};
    int err = recorder_run(options, &result, &fault);
    if (err < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        return failure_status(err);
    }
    if (result.recordings == 0)
        fprintf(stderr, "memoir: nothing was recorded of %s: %s\n", options->command[0],
                result.doubt);
    else if (result.doubt[0] && !options->quiet)
        fprintf(stderr, "memoir: mind: %s\n", result.doubt);
    if (result.summary[0])
        fprintf(stderr, "memoir: %s\n", result.summary);
    return exit_status(result.wait_status);
}

int cmd_run(int argc, char **argv)
{
    char library[PATH_MAX];
    struct recorder_options options = {.max_bytes = MAX_SIZE_DEFAULT};
    struct option_set sets[] = {{NULL, rules, &options}};
    struct command_help help = {
        .usage = "memoir run [options] -- PROGRAM [ARGUMENTS]",
        .summary =
            "Runs a program and records every allocation, from the first to the last, with its "
            "call stack.\nThe exit status is the program's.",
        .examples = "  memoir run -- ./node --port 8080\n"
                    "  memoir run -o node.memoir --max-size 1G -- ./node\n"
                    "  memoir run --children -- make -j2\n"
                    "  memoir run --allocator my_ -- ./node\n",
        .sets = sets,
        .set_count = 1};
    int status, first = 1;

    /* Options end at "--" or at the program's name: what follows belongs to the program. */
    while (first < argc && argv[first][0] == '-' && strcmp(argv[first], "--") != 0)
        first +=
            strcmp(argv[first], "-o") == 0 ||
                    (strncmp(argv[first], "--", 2) == 0 && !strchr(argv[first], '=') &&
                     (strcmp(argv[first], "--max-size") == 0 || strcmp(argv[first], "--for") == 0 ||
                      strcmp(argv[first], "--heap") == 0 ||
                      strcmp(argv[first], "--allocator") == 0))
                ? 2
                : 1;
    if (first > argc)
        first = argc;
    if (command_words(first, argv, &help, &status) < 0)
        return status;
    if (first < argc && strcmp(argv[first], "--") == 0)
        first++;
    if (first >= argc) {
        fprintf(stderr, "memoir: run what? give a program: memoir run -- PROGRAM [ARGUMENTS]\n");
        return 2;
    }
    if (library_path(library) < 0) {
        fprintf(stderr,
                "memoir: libmemoir.so is missing beside this program and in %s; install memoir "
                "again or run it from its build folder\n",
                MEMOIR_LIB);
        return 1;
    }
    options.library = library;
    options.command = argv + first;
    options.judge = judge;
    return run(&options);
}
