/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/answer_options.h"
#include "cli/cluster/cluster_commands.h"
#include "base/nearest.h"
#include "cli/cluster/node_options.h"
#include "cli/shared/picture_output.h"
#include "cluster/metrics/metric_write.h"
#include "cluster/metrics/metrics_book.h"
#include "cluster/runs/run_pick.h"

struct metrics_command {
    struct node_options nodes;
    struct answer_options answer;
    struct curve_question question;
    bool list, list_nodes, avg_max, avg_max_min, plot, has_quantile;
    const char *plot_path;
    enum export_form { EXPORT_NONE, EXPORT_OPENMETRICS, EXPORT_SQLITE } export;
};

static int choose_mode(struct metrics_command *command, enum curve_mode mode, struct fault *fault)
{
    if (command->question.mode != CURVE_USUAL && command->question.mode != mode)
        return fault_set(fault, -EINVAL,
                         "--raw, --rate, --delta and --quantile are different: choose one");
    command->question.mode = mode;
    return 0;
}

static int handle_mode(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)value;
    return choose_mode(into, strcmp(name, "--raw") == 0 ? CURVE_RAW : CURVE_RATE, fault);
}

static int add_name(struct metrics_command *command, const char *name, struct fault *fault)
{
    return vec_push(&command->question.names, name) ? 0
                                                    : fault_set(fault, -ENOMEM, "out of memory");
}

static int handle_delta(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    int const err = choose_mode(into, CURVE_DELTA, fault);
    return err ? err : add_name(into, value, fault);
}

static int handle_diff(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    return add_name(into, value, fault);
}

static int parse_filter(void *into, const char *name, const char *value, struct fault *fault)
{
    (void)name;
    return curve_question_filter(&((struct metrics_command *)into)->question, value, fault);
}

static const char *const export_names[] = {
    [EXPORT_NONE] = "", [EXPORT_OPENMETRICS] = "openmetrics", [EXPORT_SQLITE] = "sqlite", NULL};

static const struct option_rule rules[] = {
    {"--list", NULL, "every metric there is, with its type",
     OPTION_FLAG(struct metrics_command, list)},
    {"--list-nodes", NULL, "every node, with its names and role",
     OPTION_FLAG(struct metrics_command, list_nodes)},
    {"--rate", NULL, "counters per second (the default); an error for gauges",
     OPTION_CALLBACK(handle_mode)},
    {"--delta", "NAME", "increase of a counter from scrape to scrape",
     OPTION_CALLBACK(handle_delta)},
    {"--raw", NULL, "values of counters instead of rates", OPTION_CALLBACK(handle_mode)},
    {"--sum", NULL, "sum over all labels of a metric, for each node",
     OPTION_FLAG(struct metrics_command, question.is_sum)},
    {"--diff", "NAME", "two gauges: --diff A B is A minus B", OPTION_CALLBACK(handle_diff),
     OPTION_ALSO(struct metrics_command, question.is_difference)},
    {"--quantile", "Q", "quantile of histograms between scrapes: 0.5, 0.99",
     OPTION_FRACTION(struct metrics_command, question.quantile, 0, 1),
     OPTION_ALSO(struct metrics_command, has_quantile)},
    {"--avg-max", NULL,
     "count, max and min of counters, and the mean over nodes of max; also with --sum",
     OPTION_FLAG(struct metrics_command, avg_max)},
    {"--avg-max-min", NULL, "as --avg-max, and the mean over nodes of max-min",
     OPTION_FLAG(struct metrics_command, avg_max_min)},
    {"-t", "LABEL=VALUE", "only series with this label, or n and role of the node; may be repeated",
     OPTION_CALLBACK(parse_filter)},
    {"--plot", "=FILE", "draw one chart per metric: .svg, .png, .html; or with -o FILE",
     OPTION_TEXT(struct metrics_command, plot_path), OPTION_ALSO(struct metrics_command, plot)},
    {"--export", "FORM", "openmetrics: all samples, for promtool; sqlite: to run.db of the run",
     OPTION_CHOICE(struct metrics_command, export, export_names)},
    {.name = NULL}};

static enum metric_form form_of(const struct metrics_command *command)
{
    return command->answer.json ? METRIC_JSON : command->answer.csv ? METRIC_CSV : METRIC_TEXT;
}

static int draw(const struct metrics_command *command, const struct metric_curves *curves,
                const struct run *run, struct fault *fault)
{
    const char *path = command->plot_path ? command->plot_path : command->answer.output;
    enum picture_format format;
    struct svg_out svg = {0};
    int err = picture_format_of(path, &format, fault);
    if (!err && (err = metric_curves_draw(curves, run, &svg)) != 0)
        fault_set(fault, err, "out of memory while drawing");
    if (!err)
        err = picture_write(&svg, path, format, fault);
    svg_out_fini(&svg);
    return err;
}

/* A name that is not there, with one that is; all names are read for it. */
static int no_such_metric(const struct run *run, const char *name, struct fault *fault)
{
    struct series_set all;
    const char *nearest = NULL;
    if (series_read(&all, run, NULL, NULL, fault) < 0)
        return fault->code;
    vec_each (series, &all.series)
        if (!nearest || nearest_distance(name, series->is->name) < nearest_distance(name, nearest))
            nearest = series->is->name;
    if (nearest && strcmp(name, nearest) == 0)
        fault_set(
            fault, -ENODATA,
            "no series of \"%s\" in this run has those labels and nodes: without -t and nodes "
            "all are shown",
            name);
    else if (nearest && nearest_is_near(name, nearest_distance(name, nearest)))
        fault_set(fault, -ENODATA, "there is no metric \"%s\" in this run, did you mean \"%s\"?",
                  name, nearest);
    else
        fault_set(fault, -ENODATA,
                  "there is no metric \"%s\" in this run; --list shows what there is", name);
    series_fini(&all);
    return -ENODATA;
}

/* Every name must have given something. */
static int check_names(const struct metrics_command *command, const struct metric_curves *curves,
                       const struct series_set *set, struct fault *fault)
{
    bool const is_difference = command->question.is_difference;
    const struct series *first;
    vec_each (name, &command->question.names) {
        bool has_any = is_difference && series_find(set, *name, &first) > 0;
        vec_each (curve, &curves->curves)
            has_any |= strncmp(curve->metric, *name, strlen(*name)) == 0;
        if (!has_any)
            return no_such_metric(set->run, *name, fault);
    }
    if (is_difference && curves->curves.count == 0)
        return fault_set(fault, -ENODATA,
                         "there is nothing to subtract: no node that was asked for has both with "
                         "the same labels");
    return 0;
}

static int write_curves(const struct metrics_command *command, const struct series_set *set,
                        const struct node_groups *groups, FILE *out, struct fault *fault)
{
    struct metric_curves curves;
    int err = metric_curves_make(&curves, set, &command->question, groups, fault);
    if (err)
        return err;
    err = check_names(command, &curves, set, fault);
    if (!err && command->plot) {
        err = draw(command, &curves, set->run, fault);
    } else if (!err) {
        struct text_style const style = {answer_width(out),
                                         answer_wants_color(out, command->answer.no_color)};
        metric_curves_write(&curves, set->run, form_of(command), &style, out);
    }
    metric_curves_fini(&curves);
    return err;
}

static int write_answer(const struct metrics_command *command, const struct series_set *set,
                        const struct node_groups *groups, FILE *out, struct fault *fault)
{
    struct text_style const style = {answer_width(out),
                                     answer_wants_color(out, command->answer.no_color)};
    if (command->export != EXPORT_NONE) {
        int const err = metric_export_write(set, &command->question, groups, out);
        return err == -ENODATA ? fault_set(fault, err,
                                           "there is nothing to export: no series has those names, "
                                           "labels and nodes; --list shows what there is")
               : err           ? fault_set(fault, err, "out of memory while exporting")
                               : 0;
    }
    if (command->list_nodes)
        metric_nodes_write(set, form_of(command), &style, out);
    else if (command->list || command->question.names.count == 0)
        metric_list_write(set, form_of(command), &style, out);
    else if (command->avg_max || command->avg_max_min)
        return metric_spread_write(set, &command->question, groups, command->avg_max_min, out,
                                   fault);
    else
        return write_curves(command, set, groups, out, fault);
    return 0;
}

static int write_to_file(const struct metrics_command *command, const struct series_set *set,
                         const struct node_groups *groups, struct fault *fault)
{
    FILE *out = command->plot ? stdout : answer_open(command->answer.output, fault);
    if (!out)
        return fault->code;
    int const err = write_answer(command, set, groups, out, fault);
    if (command->plot)
        return err;
    int const closed = answer_close(out, command->answer.output, err ? NULL : fault);
    return err ? err : closed;
}

static int keep_in_book(const struct run *run, struct fault *fault)
{
    struct run_book *book = run_book_open(run, fault);
    if (!book)
        return fault->code;
    uint64_t added = 0;
    int const err = metrics_book_update(book, run, &added, fault);
    if (!err)
        printf("%s/run.db is up to date: %llu files of metrics were added\n", run->path,
               (unsigned long long)added);
    run_book_close(book);
    return err;
}

static int answer(struct metrics_command *command, const struct run *run, struct fault *fault)
{
    struct node_groups groups = {0};
    struct series_set set;
    if (command->export == EXPORT_SQLITE)
        return keep_in_book(run, fault);
    bool const is_about_all = command->list || command->list_nodes;
    int err = node_options_given(&command->nodes)
                  ? node_options_groups(&command->nodes, run, &groups, fault)
                  : node_groups_add_all(&groups, run);
    if (!err)
        err = series_read(&set, run, is_about_all ? NULL : curve_question_wants, &command->question,
                          fault);
    if (!err) {
        err = set.scrapes.count
                  ? write_to_file(command, &set, &groups, fault)
                  : fault_set(fault, -ENODATA,
                              "there are no metrics in %s: watch with --metrics saves them",
                              run->path);
        series_fini(&set);
    }
    node_groups_fini(&groups);
    return err;
}

/* RUN, or files of one; names of metrics follow. */
static size_t count_inputs(char **words, size_t count)
{
    struct stat about;
    size_t inputs = count > 0 ? 1 : 0;
    if (inputs == 0 || (stat(words[0], &about) == 0 && S_ISDIR(about.st_mode)))
        return inputs;
    while (inputs < count && stat(words[inputs], &about) == 0)
        inputs++;
    return inputs;
}

static const char summary[] =
    "Shows metrics of a run over time, one curve per node and set of labels: counters per second, "
    "also\nacross restarts of a node; gauges as they are; missing answers as gaps.  Without NAME, "
    "lists the\nmetrics.  RUN is the folder of memoir watch or of go-algorand's heapWatch "
    "scripts;\nsingle files NODE.STAMP.metrics of one folder also work.";

static const char examples[] =
    "  memoir metrics run --list\n"
    "  memoir metrics run algod_tx_pool_count algod_network_sent_bytes_total --plot=m.svg\n"
    "  memoir metrics run --delta algod_ledger_transactions_total --csv\n"
    "  memoir metrics run --diff algod_go_memory_classes_total_bytes "
    "algod_go_memory_classes_heap_released_bytes --plot=d.svg\n"
    "  memoir metrics run http_request_duration_seconds --quantile 0.99 -t handler=/api\n"
    "  memoir metrics run --label relay:name_r go_goroutines --json\n"
    "  memoir metrics run --export openmetrics -o all.om && promtool tsdb create-blocks-from "
    "openmetrics all.om data\n"
    "  memoir metrics run --export sqlite && sqlite3 run/run.db 'SELECT * FROM metric LIMIT 5'\n";

static int run_command(struct metrics_command *command, char **words, size_t count,
                       struct fault *fault)
{
    size_t const inputs = count_inputs(words, count);
    if (command->has_quantile && choose_mode(command, CURVE_QUANTILE, fault) < 0)
        return fault->code;
    for (size_t i = inputs; i < count; i++)
        if (!vec_push(&command->question.names, words[i]))
            return fault_set(fault, -ENOMEM, "out of memory");
    const char *const *names = command->question.names.items;
    if (command->question.is_difference &&
        (command->question.names.count != 2 || strcmp(names[0], names[1]) == 0))
        return fault_set(fault, -EINVAL, "--diff needs two gauges: --diff A B");
    if (command->question.names.count == 0 &&
        (command->plot || command->avg_max || command->avg_max_min ||
         command->question.mode != CURVE_USUAL))
        return fault_set(fault, -EINVAL, "name at least one metric; --list shows what there is");
    confine_folder(inputs ? words[0] : NULL);
    confine_write(command->plot_path);
    confine_to(NULL, NULL, command->answer.output, CONFINE_READER);
    struct run *run = run_pick(words, inputs, fault);
    if (!run)
        return fault->code;
    int const err = answer(command, run, fault);
    run_close(run);
    return err;
}

int cmd_metrics(int argc, char **argv)
{
    struct metrics_command command = {0};
    struct fault fault = {.text = ""};
    struct option_set const sets[] = {{"Options", rules, &command},
                                      {"Which nodes", node_rules, &command.nodes},
                                      {"The answer", answer_table_rules, &command.answer}};
    struct command_help const help = {"memoir metrics RUN [NAME...] [options]", summary, examples,
                                      sets, 3};
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    int const err = run_command(&command, argv + 1, (size_t)words, &fault);
    if (err && fault.text[0])
        fprintf(stderr, "memoir metrics: %s\n", fault.text);
    node_options_fini(&command.nodes);
    curve_question_fini(&command.question);
    return err == 0 ? 0 : err == -EINVAL ? 2 : 1;
}
