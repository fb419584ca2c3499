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
#include "base/clock.h"
#include "base/human.h"
#include "capture/outputs/output_name.h"
#include "capture/sessions/memory_bound.h"
#include "cli/shared/helper_program.h"
#include "cli/record/wish_options.h"
#include "report/text/death_text.h"
#include "report/text/doubt_text.h"

#define ALLOCATOR_NAME_MAX  32
#define MAP_EVERY_DEFAULT   (10 * NS_PER_SECOND)
#define MAP_EVERY_LEAST     100000000ull
#define PAGES_EVERY_DEFAULT NS_PER_SECOND
#define NEVER_WAIT_MOST     NS_PER_SECOND

static int handle_allocator(void *into, const char *name, const char *value, struct fault *fault)
{
    size_t const size = strlen(value);
    if (size == 0 || size >= ALLOCATOR_NAME_MAX)
        return fault_set(fault, -EINVAL,
                         "%s %s: give the first letters of the functions' names, such as je_", name,
                         value);
    ((struct record_options *)into)->recorder.allocator = value;
    return 0;
}

static int handle_heap(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    return heap_rate_parse(value, &((struct record_options *)into)->recorder.heap_rate, fault);
}

static int handle_map_every(void *into, const char *name, const char *value, struct fault *fault)
{
    struct recorder_options *options = &((struct record_options *)into)->recorder;
    if (strcmp(value, "off") == 0) {
        options->look_every_ns = 0;
        return 0;
    }
    int err = human_parse_duration(value, &options->look_every_ns);
    if (err == 0 && options->look_every_ns < MAP_EVERY_LEAST)
        return fault_set(fault, -ERANGE, "%s %s is too often; give at least 100ms, or off", name,
                         value);
    return err;
}

const struct option_rule record_rules[] = {
    {"--children", NULL, "also record child processes, each in its own file",
     OPTION_FLAG(struct record_options, recorder.follow_children)},
    {"--allocator", "PREFIX",
     "also record an allocator inside the program, by its functions PREFIXmalloc, PREFIXfree, ...",
     OPTION_CALLBACK(handle_allocator)},
    {"--heap", "MODE", HEAP_RATE_HELP, OPTION_CALLBACK(handle_heap)},
    {"--wait", NULL,
     "threads wait for the recorder while it makes progress; nothing is estimated: default of "
     "memoir run",
     OPTION_VALUE(struct record_options, recorder.longest_wait_ns, 0)},
    {"--never-wait", "=TIME",
     "threads wait at most TIME (20ms); faster events are estimated: default of memoir attach",
     OPTION_DURATION(struct record_options, recorder.longest_wait_ns, 1, NEVER_WAIT_MOST),
     OPTION_LEFT_OUT(NEVER_WAIT_DEFAULT)},
    {"--max-memory", "SIZE",
     "keep the recorder below SIZE (1G, or what the program has); near SIZE, sample allocations",
     OPTION_BYTES(struct record_options, recorder.max_memory_bytes, MEMORY_BOUND_LEAST,
                  OPTION_NO_LIMIT)},
    {"--map-every", "TIME",
     "how often to take a snapshot of the resident pages, for memoir explain (10s), or off",
     OPTION_CALLBACK(handle_map_every)},
    {"--pages", NULL, "also record which call stacks resident pages come from, by memoir agent",
     OPTION_FLAG(struct record_options, wants_pages)},
    {"--cpu", "=HZ", "also record CPU time: HZ samples of call stacks a second (99)",
     OPTION_COUNT(struct record_options, cpu.hz, 1, CPU_HZ_MAX),
     OPTION_ALSO(struct record_options, wants_cpu), OPTION_LEFT_OUT(CPU_HZ_DEFAULT)},
    {"--off-cpu", NULL, "also record the time that threads wait; implies --cpu",
     OPTION_FLAG(struct record_options, cpu.off_cpu),
     OPTION_ALSO(struct record_options, wants_cpu)},
    {"--agent", "PATH", "agent socket (" AGENT_SOCKET_PATH "); implies --pages",
     OPTION_TEXT(struct record_options, agent), OPTION_ALSO(struct record_options, wants_pages)},
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

void record_options_init(struct record_options *options)
{
    *options = (struct record_options){
        .recorder = {.look_every_ns = MAP_EVERY_DEFAULT, .judge = judge, .mourn = mourn},
        .pages = {.socket = AGENT_SOCKET_PATH,
                  .watch = AGENT_WATCH_FAULTS | AGENT_WATCH_CACHE,
                  .look_every_ns = PAGES_EVERY_DEFAULT},
        .cpu = {.socket = AGENT_SOCKET_PATH, .hz = CPU_HZ_DEFAULT}};
    wish_options_init(&options->recorder.wish, &options->serve);
}

void record_options_finish(struct record_options *options)
{
    if (options->recorder.follow_children) {
        options->pages.watch |= AGENT_WATCH_CHILDREN;
        options->cpu.children = true;
    }
    if (options->agent) {
        options->pages.socket = options->cpu.socket = options->agent;
        options->pages.source = PAGE_SOURCE_AGENT;
        options->cpu.source = CPU_SOURCE_AGENT;
    }
    options->recorder.pages = options->wants_pages ? &options->pages : NULL;
    options->recorder.cpu = options->wants_cpu ? &options->cpu : NULL;
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
    struct sentry *watch =
        makes_sense ? sentry_create(watched, options->wish.output, &fault) : NULL;
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

static bool needs_argument(const struct option_rule *rules, const char *name)
{
    for (const struct option_rule *rule = rules; rule->name; rule++)
        if (rule->argument && rule->argument[0] != '=' && strcmp(name, rule->name) == 0)
            return true;
    return false;
}

int record_option_words(char *const *argv)
{
    return needs_argument(record_rules, argv[0]) || needs_argument(wish_rules, argv[0]) ||
                   needs_argument(sentry_rules, argv[0])
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

/* An older recording under the name that was asked for is not to be taken for the new one, and
 * not to be lost either. */
static void put_older_aside(const char *path)
{
    int const put = path ? output_put_aside(path) : 0;
    if (put > 0)
        fprintf(stderr, "memoir: the older recording %s was renamed to %s~\n", path, path);
    else if (put < 0)
        fprintf(stderr, "memoir: warning: %s is an older recording, not one of this run\n", path);
}

int record_end(const struct recorder_options *options, const struct recorder_result *result,
               const char *name)
{
    serve_helper_end(options->wish.context);
    if (result->recordings == 0) {
        fprintf(stderr, "memoir: nothing was recorded for %s%s%s\n", name,
                result->doubt[0] ? ": " : "", result->doubt);
        put_older_aside(options->wish.output);
    } else if (result->doubt[0] && !options->wish.quiet)
        fprintf(stderr, "memoir: warning: %s\n", result->doubt);
    if (result->summary[0] && !options->wish.quiet)
        fprintf(stderr, "memoir: %s\n", result->summary);
    int const status = exit_status(result->wait_status);
    return status == 0 && (result->unfinished || result->is_stuck) ? 1 : status;
}
