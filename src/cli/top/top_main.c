/* SPDX-License-Identifier: Apache-2.0 */
/* top_main.c - the program memoir-top, `memoir top`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/terminal.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/options.h"
#include "cli/shared/selection_options.h"
#include "cli/top/top_screen.h"
#include "cli/top/top_view.h"

#define SINCE_DEFAULT_NS UINT64_C(60000000000)
#define EVERY_DEFAULT_NS NS_PER_SECOND
#define EVERY_LEAST_NS   UINT64_C(100000000)
#define ROWS_DEFAULT     19 /* with the head, a page of 24 lines */

struct top_options {
    struct top_choice choice;
    uint64_t since_ns, every_ns, rows;
    bool once, json, no_color;
};

static int handle_metric(void *into, const char *name, const char *value, struct fault *fault)
{
    struct top_options *options = into;
    const struct metric *metric = metric_find(value);
    if (!metric || metric->kind == METRIC_PINNED)
        return fault_set(fault, -EINVAL,
                         "%s cannot be \"%s\" here: heap.live, heap.allocated, heap.calls, "
                         "heap.temporary, maps.live and others that run can",
                         name, value);
    options->choice.question.metric = metric;
    return 0;
}

static const char *const grouping_names[] = {
    [BY_STACK] = "stack", [BY_FUNCTION] = "function", [BY_MODULE] = "module",
    [BY_THREAD] = "",     [BY_LINE] = "line",         NULL};

static int parse_filter(void *into, const char *name, const char *value, struct fault *fault)
{
    struct top_choice *choice = &((struct top_options *)into)->choice;
    if (top_choice_set_filter(choice, value) < 0)
        return fault_set(fault, -EINVAL, "%s: %s", name, choice->message);
    return 0;
}

static const struct option_rule top_rules[] = {
    {"--metric", "NAME", "what to measure: heap.live (default), heap.allocated, heap.calls, ...",
     OPTION_CALLBACK(handle_metric)},
    {"--by", "WHAT", "one row per function (default), line, stack or module",
     OPTION_CHOICE(struct top_options, choice.question.by, grouping_names)},
    {"--sort", "WHAT", "by value (default), growth or count",
     OPTION_CHOICE(struct top_options, choice.question.order, top_order_names)},
    {"--filter", "REGEX", "only stacks with a function, module or file that matches",
     OPTION_CALLBACK(parse_filter)},
    {"--since", "TIME", "period over which growth is counted (1m)",
     OPTION_DURATION(struct top_options, since_ns, 0, OPTION_NO_LIMIT)},
    {"--every", "TIME", "how often to refresh (1s)",
     OPTION_DURATION(struct top_options, every_ns, EVERY_LEAST_NS, OPTION_NO_LIMIT)},
    {"--once", NULL, "print one page and end; the default when the output is not a terminal",
     OPTION_FLAG(struct top_options, once)},
    {"--json", NULL, "print one answer as JSON, a stable interface; implies --once",
     OPTION_FLAG(struct top_options, json), OPTION_ALSO(struct top_options, once)},
    {"--top", "N", "rows of the page with --once or --json (19)",
     OPTION_COUNT(struct top_options, rows, 0, OPTION_NO_LIMIT)},
    {"--no-color", NULL, "no colours with --once (as NO_COLOR=1)",
     OPTION_FLAG(struct top_options, no_color)},
    {.name = NULL},
};

static int print_page(const struct top_page *page, const struct top_options *options)
{
    struct text_style const style = {0, answer_wants_color(stdout, options->no_color)};
    vec_each (line, &page->lines) {
        text_ink(&style, stdout, line->ink);
        fputs(line->text, stdout);
        if (line->ink != INK_PLAIN)
            text_ink(&style, stdout, INK_PLAIN);
        putchar('\n');
    }
    return 0;
}

static int print_process(const struct top_source *source, const struct top_options *options)
{
    struct top_process const process = top_process_of(source);
    struct top_page page = {0};
    if (options->json)
        return top_process_json_write(&process, stdout);
    int err = top_process_render(&process, answer_width(stdout), &page);
    if (!err)
        err = print_page(&page, options);
    top_page_fini(&page);
    return err;
}

static int print_once(const struct top_source *source, const struct top_options *options,
                      struct fault *fault)
{
    struct top_view view;
    struct top_page page = {0};
    if (!source->follower)
        return print_process(source, options);
    int err = top_view_of(source, &options->choice, &view);
    if (err == -EINVAL)
        return pattern_check(options->choice.pattern, fault);
    if (err)
        return fault_set(fault, err, "out of memory");
    if (options->json)
        err = top_json_write(&view, (size_t)options->rows, stdout);
    else
        err = top_page_render(&view, answer_width(stdout), 0, (size_t)options->rows, &page);
    if (!err)
        err = print_page(&page, options);
    top_page_fini(&page);
    top_view_fini(&view);
    return err == -ENOMEM ? fault_set(fault, err, "out of memory") : 0;
}

static int run(const char *what, struct top_options *options)
{
    struct top_source source;
    struct fault fault = {.text = ""};
    int err = top_source_open(&source, what, options->since_ns, &fault);
    if (!err && !options->once && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO))
        err = top_screen_run(&source, &options->choice, options->every_ns, &fault);
    else if (!err) {
        err = print_once(&source, options, &fault);
        if (!err)
            err = answer_close(stdout, NULL, &fault);
    }
    top_source_close(&source);
    if (!err)
        return 0;
    return command_failed("top", &fault);
}

int main(int argc, char **argv)
{
    struct top_options options = {
        .since_ns = SINCE_DEFAULT_NS, .every_ns = EVERY_DEFAULT_NS, .rows = ROWS_DEFAULT};
    const struct option_set sets[] = {{"Options", top_rules, &options}};
    const struct command_help help = {
        "memoir top FILE|PID [options]",
        "Shows a program while it runs: its memory, how fast it allocates, which code holds most "
        "and\nwhich code grows.  FILE is a recording, PID a process that is being recorded.  Keys: "
        "m, s\nand b change --metric, --sort and --by; space freezes, k counts growth from now, / "
        "filters,\nh shows help, q quits.",
        "  memoir top node.4242.memoir\n"
        "  memoir top 4242\n"
        "  memoir top 4242 --sort growth --since 10m\n"
        "  memoir top 4242 --once --by line | head\n"
        "  memoir top 4242 --json | jq .heap_bytes\n",
        sets, 1};
    int status = 2;
    terminal_guard();
    if (argc < 2 || strcmp(argv[1], "top") != 0) {
        fprintf(stderr, "memoir-top: a part of memoir; use `memoir top`\n");
        return 2;
    }
    top_choice_init(&options.choice);
    int const words = command_words(argc - 1, argv + 1, &help, &status);
    if (words == 1)
        status = run(argv[2], &options);
    else if (words >= 0) {
        fprintf(stderr, "memoir top: name one recording or process: memoir top FILE|PID\n");
        status = 2;
    }
    top_choice_fini(&options.choice);
    return status;
}
