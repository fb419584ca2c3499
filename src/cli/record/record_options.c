/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/heap_rate.h"
#include "cli/record/record_options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/alerts/plausible.h"
#include "base/human.h"
#include "cli/record/cpu_options.h"
#include "cli/shared/helper_program.h"
#include "cli/shared/serve_helper.h"
#include "cli/record/wish_options.h"
#include "pages/page_station.h"
#include "report/text/death_text.h"
#include "report/text/doubt_text.h"

#define ALLOCATOR_NAME_MAX  32
#define MAP_EVERY_DEFAULT   10000000000ull
#define MAP_EVERY_LEAST     100000000ull
#define PAGES_EVERY_DEFAULT 1000000000ull
#define NEVER_WAIT_MOST     1000000000ull

/* There is one recorder per program, and one station of it. */
static struct page_station_options page_options = {.socket = AGENT_SOCKET_PATH,
                                                   .watch = AGENT_WATCH_FAULTS | AGENT_WATCH_CACHE,
                                                   .look_every_ns = PAGES_EVERY_DEFAULT};

static struct cpu_station_options cpu_options = {.socket = AGENT_SOCKET_PATH, .hz = CPU_HZ_DEFAULT};

static int take_children(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct recorder_options *)into)->follow_children = true;
    page_options.watch |= AGENT_WATCH_CHILDREN;
    cpu_options.children = true;
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

static int take_heap(void *into, const char *argument, struct fault *fault)
{
    return heap_rate_parse(argument, &((struct recorder_options *)into)->heap_rate, fault);
}

static int take_pages(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct recorder_options *)into)->pages = &page_options;
    return 0;
}

static int take_agent(void *into, const char *argument, struct fault *fault)
{
    page_options.socket = argument;
    page_options.source = PAGE_SOURCE_AGENT;
    cpu_options.socket = argument;
    cpu_options.source = CPU_SOURCE_AGENT;
    return take_pages(into, argument, fault);
}

static int take_cpu(void *into, const char *argument, struct fault *fault)
{
    ((struct recorder_options *)into)->cpu = &cpu_options;
    return cpu_options_hz(argument, &cpu_options.hz, fault);
}

static int take_off_cpu(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct recorder_options *)into)->cpu = &cpu_options;
    cpu_options.off_cpu = true;
    return 0;
}

static int take_never_wait(void *into, const char *argument, struct fault *fault)
{
    struct recorder_options *options = into;
    options->longest_wait_ns = NEVER_WAIT_DEFAULT;
    int err = argument ? human_parse_duration(argument, &options->longest_wait_ns) : 0;
    if (err < 0 || options->longest_wait_ns == 0 || options->longest_wait_ns > NEVER_WAIT_MOST)
        return fault_set(fault, -EINVAL,
                         "--never-wait=%s: give the longest time that the program may wait for its "
                         "recorder, from 1us to 1s, such as --never-wait=20ms",
                         argument ? argument : "");
    return 0;
}

static int take_wait(void *into, const char *argument, struct fault *fault)
{
    (void)argument;
    (void)fault;
    ((struct recorder_options *)into)->longest_wait_ns = 0;
    return 0;
}

static int take_map_every(void *into, const char *argument, struct fault *fault)
{
    struct recorder_options *options = into;
    if (strcmp(argument, "off") == 0) {
        options->look_every_ns = 0;
        return 0;
    }
    int err = human_parse_duration(argument, &options->look_every_ns);
    if (err == 0 && options->look_every_ns < MAP_EVERY_LEAST)
        return fault_set(fault, -ERANGE, "--map-every %s is too often; give at least 100ms, or off",
                         argument);
    return err;
}

const struct option_rule record_rules[] = {
    {"--children", NULL, "record processes that it starts, too, each in its own file",
     .take = take_children},
    {"--allocator", "PREFIX",
     "also record the allocator inside the program whose functions begin so: PREFIXmalloc, ...",
     .take = take_allocator},
    {"--heap", "MODE", HEAP_RATE_HELP, .take = take_heap},
    {"--wait", NULL,
     "threads wait for the recorder while it makes progress, so nothing is estimated (memoir run)",
     .take = take_wait},
    {"--never-wait", "=TIME",
     "threads wait no longer than TIME (20ms): what comes too fast is estimated (memoir attach)",
     .take = take_never_wait},
    {"--map-every", "TIME",
     "how often to look whose its resident pages are, for memoir explain (10s), or off",
     .take = take_map_every},
    {"--pages", NULL, "also which call stacks its resident pages come from, through memoir agent",
     .take = take_pages},
    {"--cpu", "=HZ",
     "also where its time goes: samples of its call stacks, 99 a second unless given",
     .take = take_cpu},
    {"--off-cpu", NULL, "the same, and the time that its threads wait", .take = take_off_cpu},
    {"--agent", "PATH", "the same, with the socket of the agent (" AGENT_SOCKET_PATH ")",
     .take = take_agent},
    {.name = NULL}};

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

static void mourn(struct recording *recording, char *sentence, size_t size)
{
    struct text_line line = {0};
    if (death_render(recording, &line) == 0)
        snprintf(sentence, size, "%s", line.text);
}

void record_options_init(struct recorder_options *options)
{
    *options = (struct recorder_options){
        .look_every_ns = MAP_EVERY_DEFAULT, .judge = judge, .mourn = mourn};
    wish_options_init(&options->wish);
}

bool record_library(struct recorder_options *options, char library[PATH_MAX])
{
    options->library = library;
    if (library_path(library) == 0)
        return true;
    fprintf(stderr,
            "memoir: libmemoir.so is missing beside this program and in %s; install memoir "
            "again or run it from its build folder\n",
            MEMOIR_LIB);
    return false;
}

struct sentry *record_watch(struct recorder_options *options, const struct sentry_options *watched,
                            int *status)
{
    struct fault fault = {.text = ""};
    bool const makes_sense = sentry_options_check(watched, &fault) == 0;
    struct sentry *watch = makes_sense ? sentry_create(watched, &fault) : NULL;
    *status = makes_sense ? 1 : 2;
    if (watch)
        options->watcher = sentry_watcher(watch);
    else
        fprintf(stderr, "memoir: %s\n", fault.text);
    return watch;
}

int record_watch_end(struct sentry *watch, int status)
{
    return sentry_finish(watch) > 0 && status == 0 ? SENTRY_ALERT_STATUS : status;
}

static bool takes_argument(const struct option_rule *rules, const char *name)
{
    for (const struct option_rule *rule = rules; rule->name; rule++)
        if (rule->argument && rule->argument[0] != '=' && strcmp(name, rule->name) == 0)
            return true;
    return false;
}

int record_option_words(char *const *argv)
{
    return takes_argument(record_rules, argv[0]) || takes_argument(wish_rules, argv[0]) ||
                   takes_argument(sentry_rules, argv[0])
               ? 2
               : 1;
}

/* As a shell: 128 plus the signal. */
static int exit_status(int wait_status)
{
    if (wait_status < 0) /* it goes on, or nobody knows */
        return 0;
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/* An older recording under the name that was asked for is not to be taken for the new one, and not to be lost either. */
static void put_older_aside(const char *path)
{
    char aside[PATH_MAX];
    struct stat older;
    if (!path || stat(path, &older) < 0 || !S_ISREG(older.st_mode) || older.st_size == 0)
        return;
    bool const fits = snprintf(aside, sizeof(aside), "%s~", path) < (int)sizeof(aside);
    if (fits && renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE) == 0)
        fprintf(stderr, "memoir: the older recording %s is called %s now\n", path, aside);
    else
        fprintf(stderr, "memoir: mind: %s is an older recording, not one of this run\n", path);
}

int record_end(const struct recorder_options *options, const struct recorder_result *result,
               const char *name)
{
    serve_helper_end();
    if (result->recordings == 0) {
        fprintf(stderr, "memoir: nothing was recorded of %s%s%s\n", name,
                result->doubt[0] ? ": " : "", result->doubt);
        put_older_aside(options->wish.output);
    } else if (result->doubt[0] && !options->wish.quiet)
        fprintf(stderr, "memoir: mind: %s\n", result->doubt);
    if (result->summary[0] && !options->wish.quiet)
        fprintf(stderr, "memoir: %s\n", result->summary);
    int const status = exit_status(result->wait_status);
    return status == 0 && (result->unfinished || result->is_stuck) ? 1 : status;
}
