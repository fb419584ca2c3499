/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/human.h"
#include "capture/outside_recorder.h"
#include "capture/page_cells.h"
#include "cli/process_choice.h"
#include "cli/record_commands.h"
#include "cli/serve_helper.h"
#include "wire/agent.h"

#define MAX_SIZE_DEFAULT (256ull << 20)
#define MAX_SIZE_LEAST   (64ull << 10)
#define EVERY_DEFAULT    1000000000ull
#define EVERY_LEAST      50000000ull

struct pages_options {
    struct outside_recorder_options recorder;
    struct page_station_options station;
};

static int take_output(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    ((struct pages_options *)into)->recorder.output = argument;
    return 0;
}

static int take_max_size(void *into, const char *argument, struct fault *fault)
{
    struct outside_recorder_options *recorder = &((struct pages_options *)into)->recorder;
    int err = human_parse_bytes(argument, &recorder->max_bytes);
    if (err == 0 && recorder->max_bytes < MAX_SIZE_LEAST)
        return fault_set(fault, -ERANGE, "--max-size %s is too small; give at least 64K", argument);
    return err;
}

static int take_for(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    return human_parse_duration(argument, &((struct pages_options *)into)->recorder.for_ns);
}

static int take_every(void *into, const char *argument, struct fault *fault)
{
    struct page_station_options *station = &((struct pages_options *)into)->station;
    int err = human_parse_duration(argument, &station->look_every_ns);
    if (err == 0 && station->look_every_ns < EVERY_LEAST)
        return fault_set(fault, -ERANGE, "--every %s is too often; give at least 50ms", argument);
    return err;
}

static int take_children(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct pages_options *)into)->station.watch |= AGENT_WATCH_CHILDREN;
    return 0;
}

static int take_kernel(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct pages_options *)into)->station.watch |= AGENT_WATCH_KERNEL;
    return 0;
}

static int take_agent(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    ((struct pages_options *)into)->station.socket = argument;
    ((struct pages_options *)into)->station.source = PAGE_SOURCE_AGENT;
    return 0;
}

static int take_source(void *into, const char *argument, struct fault *fault)
{
    static const char *const names[] = {"any", "agent", "perf"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(argument, names[i]) == 0) {
            ((struct pages_options *)into)->station.source = (enum page_source)i;
            return 0;
        }
    return fault_set(fault, -EINVAL, "--source cannot be \"%.40s\": agent, perf, or any", argument);
}

static int take_serve(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct pages_options *)into)->recorder.began = serve_helper_begin;
    return 0;
}

static int take_listen(void *into, const char *argument, struct fault *fault)
{
    serve_helper_listen(argument);
    return take_serve(into, argument, fault);
}

static int take_token_file(void *into, const char *argument, struct fault *fault)
{
    serve_helper_token_file(argument);
    return take_serve(into, argument, fault);
}

static int take_quiet(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct pages_options *)into)->recorder.quiet = true;
    return 0;
}

static const struct option_rule rules[] = {
    {"-o", "FILE", "where to write; PROGRAM.PID.memoir in this folder unless given", take_output},
    {"--max-size", "SIZE", "keep the file below this (256M); older times get coarser",
     take_max_size},
    {"--for", "TIME", "stop after this time", take_for},
    {"--every", "TIME", "how often to look at the pages (1s); less often where that is costly",
     take_every},
    {"--children", NULL, "also processes that it starts, each in its own file", take_children},
    {"--kernel", NULL, "also memory of the kernel itself: page tables, sockets, slab", take_kernel},
    {"--agent", "PATH", "socket of memoir agent (" AGENT_SOCKET_PATH ")", take_agent},
    {"--source", "WHICH",
     "agent, perf (events of the kernel's own profiler: for your own processes), or any (default)",
     take_source},
    {"--serve", NULL, "serve the tree meanwhile, as memoir serve does", take_serve},
    {"--listen", "ADDR", "do so there instead of on 127.0.0.1:17832", take_listen},
    {"--token-file", "FILE", "with a token that those must send who ask from other machines",
     take_token_file},
    {"--quiet", NULL, "say nothing but errors", take_quiet},
    {NULL, NULL, NULL, NULL}};

static void say_end(const struct outside_recorder_options *options,
                    const struct recording *recording, const char *path)
{
    char parts[4][HUMAN_MAX], faults[HUMAN_MAX], share[HUMAN_MAX];
    struct page_state state;
    const struct page_watch_sums *sums = &state.sums;
    uint64_t resident = 0, stacks = 0;
    if (options->quiet || !page_station_state(options->context, recording->pid, &state))
        return;
    for (unsigned kind = 0; kind < PAGE_KINDS_RESIDENT; kind++)
        resident += sums->bytes[kind];
    for (unsigned end = 0; end < STACK_END_KINDS; end++)
        stacks += sums->stack_ends[end];
    fprintf(stderr,
            "memoir: %s (pid %u): %s resident: %s anonymous, %s of files, %s shared; %s faults, %s "
            "of their stacks "
            "complete\n",
            recording_text(recording, recording->program), recording->pid,
            human_bytes((int64_t)resident, parts[3]),
            human_bytes((int64_t)sums->bytes[PAGE_ANON], parts[0]),
            human_bytes((int64_t)sums->bytes[PAGE_FILE], parts[1]),
            human_bytes((int64_t)sums->bytes[PAGE_SHMEM], parts[2]),
            human_count((int64_t)sums->faults, faults),
            human_share((int64_t)sums->stack_ends[STACK_END_COMPLETE], (int64_t)stacks, share));
    if (sums->lost > 0)
        fprintf(stderr, "memoir: %llu events were lost\n", (unsigned long long)sums->lost);
    fprintf(stderr, "memoir: recorded to %s; memoir report %s --metric pages.resident\n", path,
            path);
}

static int record(struct pages_options *options)
{
    struct outside_recorder_result result;
    struct fault fault = {0};
    struct page_cells cells;
    struct page_station *station = page_station_open(&options->station, &fault);
    page_cells_init(&cells, station);
    cells.is_alone = true;
    options->recorder.context = station;
    options->recorder.watches[options->recorder.watch_count++] = &cells.watch;
    if (station && page_station_uses_perf(station) && options->station.source == PAGE_SOURCE_ANY &&
        !options->recorder.quiet)
        fprintf(stderr,
                "memoir: there is no agent at %s, so faults come from perf events: they cost more, "
                "and page "
                "cache is not seen; sudo memoir agent changes that\n",
                options->station.socket);
    int err = station ? outside_record(&options->recorder, &result, &fault)
                      : (fault.code ? fault.code : -EIO);
    page_station_close(station);
    page_cells_fini(&cells);
    serve_helper_end();
    if (err < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        return err == -ENOENT && options->recorder.command ? 127 : 1;
    }
    if (result.wait_status < 0)
        return 0;
    return WIFSIGNALED(result.wait_status) ? 128 + WTERMSIG(result.wait_status)
                                           : WEXITSTATUS(result.wait_status);
}

/* The words from "--" on are a program; NULL when there are none. */
static char **split_program(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            char **program = argv[i + 1] ? &argv[i + 1] : NULL;
            argv[i] = NULL;
            *argc = i;
            return program;
        }
    return NULL;
}

int cmd_pages(int argc, char **argv)
{
    struct process_choice choice = {.name = NULL};
    struct pages_options options = {
        .recorder = {.max_bytes = MAX_SIZE_DEFAULT, .source = SOURCE_PAGES, .ended = say_end},
        .station = {.socket = AGENT_SOCKET_PATH,
                    .watch = AGENT_WATCH_FAULTS | AGENT_WATCH_CACHE,
                    .look_every_ns = EVERY_DEFAULT}};
    struct option_set const sets[] = {{"Which process", process_choice_rules, &choice},
                                      {"How", rules, &options}};
    struct command_help const help = {
        .usage = "memoir pages [options] PID...   or   memoir pages [options] -- PROGRAM ARGS",
        .summary = "Records which call stacks the resident pages of processes come from, and the "
                   "page cache that they fill, until\n"
                   "they end or Ctrl-C.  Nothing is put into the process: the kernel tells, "
                   "through memoir agent, which must run.\n"
                   "What was resident before is one part by itself.",
        .examples = "  sudo memoir agent &\n"
                    "  memoir pages 4242\n"
                    "  memoir pages --for 10m -o node.memoir --name node\n"
                    "  memoir pages --serve -- ./node --config node.toml\n"
                    "  memoir report node.memoir --metric pages.anon\n",
        .sets = sets,
        .set_count = 2};
    struct fault fault = {.text = ""};
    int status, err = 0;
    options.recorder.command = split_program(&argc, argv);
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (!options.recorder.command)
        err = process_choice_find(&choice, argv + 1, words, options.recorder.quiet,
                                  &options.recorder.fixed, &options.recorder.selector, &fault);
    else if (words > 0)
        err = fault_set(&fault, -EINVAL, "a process or a program, not both: %s", argv[1]);
    if (err < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        return err == -EINVAL ? 2 : 1;
    }
    status = record(&options);
    vec_free(&options.recorder.fixed.pids);
    return status;
}
