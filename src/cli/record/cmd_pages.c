/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/human.h"
#include "capture/pages/page_cells.h"
#include "cli/record/outside_options.h"
#include "cli/record/process_choice.h"
#include "cli/record/record_commands.h"
#include "cli/record/wish_options.h"
#include "wire/agent.h"

#define EVERY_DEFAULT NS_PER_SECOND
#define EVERY_LEAST   50000000ull

struct pages_options {
    struct outside_recorder_options recorder;
    struct page_station_options station;
    struct process_choice choice;
    struct serve_helper serve;
};

static int handle_agent(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name, (void)fault;
    ((struct pages_options *)into)->station.socket = value;
    ((struct pages_options *)into)->station.source = PAGE_SOURCE_AGENT;
    return 0;
}

static const char *const source_names[] = {
    [PAGE_SOURCE_ANY] = "any", [PAGE_SOURCE_AGENT] = "agent", [PAGE_SOURCE_PERF] = "perf", NULL};

static const struct option_rule rules[] = {
    {"--every", "TIME",
     "time between snapshots of the pages (1s); longer where snapshots are "
     "costly",
     OPTION_DURATION(struct pages_options, station.look_every_ns, EVERY_LEAST, OPTION_NO_LIMIT)},
    {"--children", NULL, "also record child processes, each in its own file",
     OPTION_BITS(struct pages_options, station.watch, AGENT_WATCH_CHILDREN)},
    {"--kernel", NULL, "also record memory of the kernel itself: page tables, sockets, slab",
     OPTION_BITS(struct pages_options, station.watch, AGENT_WATCH_KERNEL)},
    {"--agent", "PATH", "socket of memoir agent (" AGENT_SOCKET_PATH ")",
     OPTION_CALLBACK(handle_agent)},
    {"--source", "WHICH",
     "where page faults come from: any (default), agent, or perf (perf events of your processes)",
     OPTION_CHOICE(struct pages_options, station.source, source_names)},
    {.name = NULL}};

static void say_end(const struct outside_recorder_options *options,
                    const struct recording *recording, const char *path)
{
    char parts[4][HUMAN_MAX], faults[HUMAN_MAX], share[HUMAN_MAX];
    struct watched_pages state;
    const struct page_watch_sums *sums = &state.sums;
    uint64_t resident = 0, stacks = 0;
    if (options->wish.quiet || !page_station_state(options->context, recording->pid, &state))
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

static int ask_station(void *station, const char *name, bool is_once, struct fault *fault)
{
    return page_station_await(station, name, is_once, fault);
}

static void say_missed(const struct pages_options *options, struct page_station *station)
{
    uint64_t const missed = page_station_missed(station);
    if (missed > 0)
        fprintf(stderr,
                "memoir: %s started %llu times and ended before memoir could read anything\n",
                options->recorder.awaited, (unsigned long long)missed);
}

static int record(struct pages_options *options)
{
    struct fault fault = {.text = "pages cannot be recorded"};
    struct page_cells cells;
    struct page_station *station = page_station_open(&options->station, &fault);
    if (!station || outside_options_await(&options->recorder, &options->choice, ask_station,
                                          station, &fault) < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        page_station_close(station);
        return 1;
    }
    page_cells_init(&cells, station);
    cells.is_alone = true;
    options->recorder.context = station;
    options->recorder.watches[options->recorder.watch_count++] = &cells.watch;
    if (page_station_uses_perf(station) && options->station.source == PAGE_SOURCE_ANY &&
        !options->recorder.wish.quiet)
        fprintf(stderr,
                "memoir: no agent at %s, so page faults come from perf events: this costs more and "
                "does not show the page cache; start an agent with sudo memoir agent\n",
                options->station.socket);
    int const status = outside_options_record(&options->recorder);
    say_missed(options, station);
    page_station_close(station);
    page_cells_fini(&cells);
    return status;
}

int cmd_pages(int argc, char **argv)
{
    struct pages_options options = {.station = {.socket = AGENT_SOCKET_PATH,
                                                .watch = AGENT_WATCH_FAULTS | AGENT_WATCH_CACHE,
                                                .look_every_ns = EVERY_DEFAULT}};
    struct option_set const sets[] = {{"Which process", process_choice_rules, &options.choice},
                                      {"How", rules, &options},
                                      {"Recording", wish_rules, &options.recorder.wish}};
    struct command_help const help = {
        .usage = "memoir pages [options] PID...   or   memoir pages [options] -- PROGRAM ARGS",
        .summary = "Records which call stacks touched the resident pages of processes first, and "
                   "which filled the page cache, until the\nprocesses end or Ctrl-C.  memoir puts "
                   "nothing into a process: the kernel reports page faults through memoir agent "
                   "if\nthere is one, else by perf events, which cost more.  Pages that were "
                   "resident before the recording are listed\nseparately.",
        .examples = "  sudo memoir agent &\n"
                    "  memoir pages 4242\n"
                    "  memoir pages --for 10m -o node.memoir --name node\n"
                    "  memoir pages --serve -- ./node --config node.toml\n"
                    "  memoir report node.memoir --metric pages.anon\n",
        .sets = sets,
        .set_count = 3};
    struct fault fault = {.text = ""};
    int status, err = 0;
    outside_options_init(&options.recorder, &options.serve, SOURCE_PAGES);
    options.recorder.ended = say_end;
    options.recorder.command = outside_split_program(&argc, argv);
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (options.choice.wait_exec && words == 0 && !options.recorder.command &&
        !options.choice.name && !options.choice.container && !options.choice.cgroup)
        ; /* once we know who tells */
    else if (!options.recorder.command)
        err = process_choice_find(&options.choice, argv + 1, words, options.recorder.wish.quiet,
                                  &options.recorder.fixed, &options.recorder.selector, &fault);
    else if (words > 0)
        err = fault_set(&fault, -EINVAL, "give a process or a program, not both: %s", argv[1]);
    if (err < 0) {
        fprintf(stderr, "memoir: %s\n", fault.text);
        return err == -EINVAL ? 2 : 1;
    }
    status = record(&options);
    vec_free(&options.recorder.fixed.pids);
    process_choice_fini(&options.choice);
    return status;
}
