/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_map.c - `memoir map`: all memory of a process now, and its owners. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process_map/snapshot.h"
#include "cli/shared/answer_file.h"
#include "cli/ask/cmd_map_diff.h"
#include "cli/ask/commands.h"
#include "cli/ask/map_watch.h"
#include "cli/shared/options.h"
#include "cli/shared/parse_pid.h"
#include "formats/pprof/breakdown_pprof.h"
#include "inject/choice/target_find.h"
#include "report/breakdown/breakdown_parts.h"
#include "report/breakdown/breakdown_report.h"

#define RULES_MAX 64u

enum map_format { MAP_TEXT, MAP_JSON, MAP_CSV, MAP_PPROF, MAP_FOLDED };

struct map_options {
    const char *name, *container, *path;
    enum map_format format;
    struct breakdown_view view;
    struct process_snapshot_options snapshot;
    struct sort_rule rules[RULES_MAX];
    char rule_texts[RULES_MAX][96];
};

static int parse_group(void *into, const char *name, const char *value, struct fault *fault)
{
    struct map_options *options = into;
    const char *equals = strchr(value, '=');
    size_t const number = options->snapshot.rules.count;
    if (!equals || equals == value || !equals[1])
        return fault_set(fault, -EINVAL, "%s %s: give LABEL=PATTERN, such as chain='*/blocks/*'",
                         name, value);
    if (number == RULES_MAX)
        return fault_set(fault, -E2BIG, "more than %u %s; use wider patterns", RULES_MAX, name);
    snprintf(options->rule_texts[number], sizeof(options->rule_texts[number]), "%.*s",
             (int)(equals - value), value);
    options->rules[number] = (struct sort_rule){options->rule_texts[number], equals + 1};
    options->snapshot.rules.items = options->rules;
    options->snapshot.rules.count = number + 1;
    return 0;
}

/* The number of `word` in a list that ends with NULL; -EINVAL with the list in the sentence. */
static const struct option_rule which_rules[] = {
    {"--name", "NAME", "the only process of this name", OPTION_TEXT(struct map_options, name)},
    {"--container", "NAME", "the process of this container or cgroup, by name, id or path",
     OPTION_TEXT(struct map_options, container)},
    {.name = NULL}};

static const struct option_rule what_rules[] = {
    {"--top", "N", "list the N largest mappings (20)",
     OPTION_COUNT(struct map_options, view.top, 0, UINT32_MAX)},
    {"--all", NULL, "list every mapping with pages in memory",
     OPTION_FLAG(struct map_options, view.all)},
    {"--sort", "FIGURE", "largest first by rss (the default), pss, private, shared, swap, virtual",
     OPTION_CHOICE(struct map_options, view.figure, memory_figure_names)},
    {"--by", "WHAT", "parts by category (the default), or by name, file or perm of mappings",
     OPTION_CHOICE(struct map_options, snapshot.rules.by, sort_by_names)},
    {"--min", "SIZE", "sum up lines below SIZE, and leave out mappings below SIZE",
     OPTION_BYTES(struct map_options, view.min_bytes, 0, OPTION_NO_LIMIT)},
    {"--unit", "UNIT", "unit: MB (the default), kB, GB or B; exact kB follow",
     OPTION_CHOICE(struct map_options, view.unit, breakdown_unit_names)},
    {"--group", "LABEL=PATTERN",
     "show mappings whose name matches PATTERN under LABEL; may be repeated",
     OPTION_CALLBACK(parse_group)},
    {"--json", NULL, "print JSON", OPTION_VALUE(struct map_options, format, MAP_JSON)},
    {"--csv", NULL, "print CSV, a row per part; with --all a row per mapping",
     OPTION_VALUE(struct map_options, format, MAP_CSV)},
    {"--pprof", NULL, "write a profile for go tool pprof",
     OPTION_VALUE(struct map_options, format, MAP_PPROF)},
    {"--folded", NULL, "print folded stacks, for flame graphs",
     OPTION_VALUE(struct map_options, format, MAP_FOLDED)},
    {"--no-addresses", NULL, "leave out addresses",
     OPTION_FLAG(struct map_options, view.without_addresses)},
    {"-o", "FILE", "write to FILE instead of standard output",
     OPTION_TEXT(struct map_options, path)},
    {.name = NULL}};

static const struct option_rule how_rules[] = {
    {"--gentle", NULL, "walk pages in slices; a large process never waits; no PSS",
     OPTION_VALUE(struct map_options, snapshot.way, SNAPSHOT_GENTLE)},
    {"--budget", "TIME",
     "longest time that the process may wait for smaps; else as --gentle (240ms)",
     OPTION_DURATION(struct map_options, snapshot.budget_ns, 1, OPTION_NO_LIMIT)},
    {"--exact", NULL, "always read smaps, even if a large process waits",
     OPTION_VALUE(struct map_options, snapshot.way, SNAPSHOT_SMAPS)},
    {"--deep", NULL, "follow long lists of free blocks to their end",
     OPTION_FLAG(struct map_options, snapshot.deep)},
    {"--kernel-only", NULL, "do not read from the process's own memory",
     OPTION_FLAG(struct map_options, snapshot.kernel_only)},
    {.name = NULL}};

static const char examples[] =
    "  memoir map 4242                     a process by its PID\n  memoir map redis-server --top "
    "50    by its name\n  memoir map --container web --json   the process of a container\n  memoir "
    "map /system.slice/node.service   by its cgroup\n  memoir map 4242 | grep 'RSS (Resident)' | "
    "awk '{print $3}'   whole MiB\n  memoir map 4242 --pprof -o a.pb.gz; go tool pprof -top "
    "a.pb.gz\n  memoir map 4242 --sort swap --min 1M --unit kB\n  memoir map 4242 --json -o "
    "a.json; memoir map diff a.json 4242   what grew since\n  memoir map 4242 --group "
    "'chain=*/blocks/*.dat'\n  memoir map 4242 --history node.db --alert 'rss>2G'   exit status 3 "
    "when it is\n";

static int find_process(const struct map_options *options, int words, char **argv, uint32_t *pid,
                        struct fault *fault)
{
    pid_t found = 0;
    const char *word = words ? argv[1] : NULL;
    if (words > 1)
        return fault_set(fault, -EINVAL,
                         "one process at a time: choose %s or "
                         "%s",
                         argv[1], argv[2]);
    if ((word != NULL) + (options->name || options->container) != 1)
        return fault_set(fault, -EINVAL,
                         "no process: give a PID, a name or a cgroup, or --container");
    if (word && parse_pid(word, &found) == 0) {
        *pid = (uint32_t)found;
        return 0;
    }
    bool const is_cgroup = word && strchr(word, '/'); /* no process has a slash in its name */
    int const err = target_find(is_cgroup ? word : options->container,
                                is_cgroup ? NULL
                                : word    ? word
                                          : options->name,
                                &found, fault);
    *pid = (uint32_t)found;
    return err;
}

static int write_answer(const struct breakdown *breakdown, const struct map_options *options,
                        struct fault *fault)
{
    int err = 0;
    if (options->format == MAP_PPROF && !options->path && isatty(STDOUT_FILENO))
        return fault_set(fault, -EINVAL, "a profile is not text; name a file with -o FILE");
    FILE *out = answer_open(options->path, fault);
    if (!out)
        return 1;
    if (options->format == MAP_JSON)
        breakdown_json_write(breakdown, &options->view, out);
    else if (options->format == MAP_CSV)
        breakdown_csv_write(breakdown, &options->view, out);
    else if (options->format == MAP_FOLDED)
        breakdown_folded_write(breakdown, options->view.figure, out);
    else if (options->format == MAP_PPROF)
        err = breakdown_pprof_write(breakdown, breakdown_section_title, out, fault);
    else
        breakdown_text_write(breakdown, &options->view, out);
    int const closed = answer_close(out, options->path, fault);
    return err ? err : closed;
}

int cmd_map(int argc, char **argv)
{
    struct map_options options = {.view = {.top = BREAKDOWN_TOP}};
    struct sentry_options watched;
    const struct option_set sets[] = {{"Which process", which_rules, &options},
                                      {"What to show", what_rules, &options},
                                      {"How", how_rules, &options},
                                      {"Alerts and history", map_watch_rules(), &watched}};
    struct command_help const help = {
        .usage =
            "memoir map PID|NAME|CGROUP [options]\n       memoir map diff BEFORE AFTER [options]",
        .summary =
            "Shows all memory of a process now: heaps, stacks, named regions, files, the rest; the "
            "numbers\nof its runtime; the largest mappings.  memoir does not stop the process.",
        .examples = examples,
        .sets = sets,
        .set_count = sizeof(sets) / sizeof(sets[0])};
    struct fault fault = {.text = ""};
    struct process_snapshot snapshot;
    uint32_t pid = 0;
    int status;
    if (argc > 1 && strcmp(argv[1], "diff") == 0)
        return cmd_map_diff(argc - 1, argv + 1);
    sentry_options_init(&watched);
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    int watch_status = 0;
    int err = map_watch_check(&watched, &fault);
    if (err == 0)
        err = find_process(&options, words, argv, &pid, &fault);
    status = err == -EINVAL ? 2 : 1;
    options.snapshot.rules.figure = options.view.figure;
    if (!options.view.all && options.view.figure == FIGURE_RSS)
        options.snapshot.top = options.view.top ? options.view.top : 1;
    if (err == 0 && (err = snapshot_read(&snapshot, pid, &options.snapshot, &fault)) == 0) {
        err = write_answer(&snapshot.breakdown, &options, &fault);
        watch_status = map_watch_end(&watched, &snapshot.breakdown);
        snapshot_fini(&snapshot);
    }
    sentry_options_fini(&watched);
    if (err)
        fprintf(stderr, "memoir map: %s\n", fault.text);
    return err ? status : watch_status;
}
