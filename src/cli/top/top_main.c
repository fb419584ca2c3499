/* SPDX-License-Identifier: Apache-2.0 */
/* top_main.c - the program memoir-top, which is `memoir top`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/options.h"
#include "cli/shared/selection_options.h"
#include "cli/top/top_screen.h"
#include "cli/top/top_view.h"

#define SINCE_DEFAULT_NS UINT64_C(60000000000)
#define EVERY_DEFAULT_NS UINT64_C(1000000000)
#define EVERY_LEAST_NS   UINT64_C(100000000)
#define ROWS_DEFAULT     19 /* with the head, a page of 24 lines */

struct top_options {
    struct top_choice choice;
    uint64_t since_ns, every_ns, rows;
    bool once, json, no_color;
};

static int take_metric(void *into, const char *argument, struct fault *fault)
{
    struct top_options *options = into;
    const struct metric *metric = metric_find(argument);
    if (!metric || metric->kind == METRIC_PINNED)
        return fault_set(fault, -EINVAL,
                         "--metric cannot be \"%s\" here: heap.live, heap.allocated, heap.calls, "
                         "heap.temporary, maps.live and others that run can",
                         argument);
    options->choice.question.metric = metric;
    return 0;
}

static int take_by(void *into, const char *argument, struct fault *fault)
{
    struct top_options *options = into;
    static const enum grouping groupings[] = {BY_FUNCTION, BY_LINE, BY_STACK, BY_MODULE};
    for (size_t i = 0; i < sizeof(groupings) / sizeof(groupings[0]); i++) {
        if (strcmp(top_grouping_name(groupings[i]), argument) == 0) {
            options->choice.question.by = groupings[i];
            return 0;
        }
    }
    return fault_set(fault, -EINVAL, "--by cannot be \"%s\": it is function, line, stack or module",
                     argument);
}

static int take_sort(void *into, const char *argument, struct fault *fault)
{
    struct top_options *options = into;
    for (int i = 0; i < LIVE_ORDERS; i++) {
        if (strcmp(top_order_names[i], argument) == 0) {
            options->choice.question.order = (enum live_order)i;
            return 0;
        }
    }
    return fault_set(fault, -EINVAL, "--sort cannot be \"%s\": it is value, growth or count",
                     argument);
}

static int take_filter(void *into, const char *argument, struct fault *fault)
{
    struct top_choice *choice = &((struct top_options *)into)->choice;
    if (top_choice_set_filter(choice, argument) < 0)
        return fault_set(fault, -EINVAL, "--filter: %s", choice->message);
    return 0;
}

static int take_since(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    return human_parse_duration(argument, &((struct top_options *)into)->since_ns);
}

static int take_every(void *into, const char *argument, struct fault *fault)
{
    struct top_options *options = into;
    int const err = human_parse_duration(argument, &options->every_ns);
    if (!err && options->every_ns < EVERY_LEAST_NS)
        return fault_set(fault, -EINVAL, "--every %s is too often; give at least 100ms", argument);
    return err;
}

static int take_top(void *into, const char *argument, struct fault *fault)
{
    (void)fault;
    return human_parse_count(argument, &((struct top_options *)into)->rows);
}

static int take_json(void *into, const char *argument, struct fault *fault)
{
    (void)argument, (void)fault;
    ((struct top_options *)into)->json = ((struct top_options *)into)->once = true;
    return 0;
}

static const struct option_rule top_rules[] = {
    {"--metric", "NAME", "what to measure: heap.live (default), heap.allocated, heap.calls, ...",
     .take = take_metric},
    {"--by", "WHAT", "one row per function (default), line, stack or module", .take = take_by},
    {"--sort", "WHAT", "by value (default), growth or count", .take = take_sort},
    {"--filter", "REGEX", "only stacks with a function, module or file that matches",
     .take = take_filter},
    {"--since", "TIME", "growth counts from so long ago (1m)", .take = take_since},
    {"--every", "TIME", "look for news so often (1s)", .take = take_every},
    {"--once", NULL, "print one page and end; so it is when the output is no terminal",
     OPTION_FLAG(struct top_options, once)},
    {"--json", NULL, "one answer as JSON, a stable interface", .take = take_json},
    {"--top", "N", "rows of that answer (19)", .take = take_top},
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
    fprintf(stderr, "memoir top: %s\n", fault.text);
    return 1;
}

int main(int argc, char **argv)
{
    struct top_options options = {
        .since_ns = SINCE_DEFAULT_NS, .every_ns = EVERY_DEFAULT_NS, .rows = ROWS_DEFAULT};
    const struct option_set sets[] = {{"Options", top_rules, &options}};
    const struct command_help help = {
        "memoir top FILE|PID [options]",
        "Shows a program while it runs: its memory, how fast it allocates, who holds most and who\n"
        "grows.  FILE is a recording, PID a process that is being recorded.  On the screen: m "
        "metric,\ns sort, b by, space freeze, k mark, / filter, h help, q quit.",
        "  memoir top node.4242.memoir\n"
        "  memoir top 4242\n"
        "  memoir top 4242 --sort growth --since 10m\n"
        "  memoir top 4242 --once --by line | head\n"
        "  memoir top 4242 --json | jq .heap_bytes\n",
        sets, 1};
    int status = 2;
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
