/* SPDX-License-Identifier: Apache-2.0 */
/* history_main.c - `memoir-history`, which is `memoir history`: a program of its own because it
 * links SQLite. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/human.h"
#include "cli/shared/confine.h"
#include "base/terminal.h"
#include "cli/shared/answer_file.h"
#include "cli/history/history_command.h"
#include "cli/history/history_lines.h"
#include "base/nearest.h"
#include "cli/shared/options.h"

#define MS_NS       UINT64_C(1000000)
#define TOP_DEFAULT 10

struct history_command {
    struct history_question question;
    struct pattern *site;
    const char *output, *plot;
    bool json, csv, no_color;
};

static int parse_site(void *into, const char *name, const char *value, struct fault *fault)
{
    struct history_command *command = into;
    if (command->question.site)
        return fault_set(fault, -EINVAL, "%s can be given once; a|b finds both", name);
    int const err = pattern_compile(value, PATTERN_ANYWHERE, name, &command->site, fault);
    command->question.site = command->site;
    command->question.site_text = value;
    return err;
}

/* A time ago, or a date. */
static int parse_since(void *into, const char *name, const char *value, struct fault *fault)
{
    struct history_question *question = &((struct history_command *)into)->question;
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"};
    uint64_t ago_ns;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct tm date = {.tm_isdst = -1};
        const char *end = strptime(value, forms[i], &date);
        if (end && *end == '\0') {
            question->since_ms = (uint64_t)timegm(&date) * 1000;
            return 0;
        }
    }
    if (human_parse_duration(value, &ago_ns) < 0)
        return fault_set(fault, -EINVAL,
                         "%s cannot be \"%s\": it is a time ago (2h, 7d) or a date in UTC "
                         "(2026-11-15, 2026-11-15T08:00)",
                         name, value);
    uint64_t const now = question->now_ms;
    question->since_ms = ago_ns / MS_NS < now ? now - ago_ns / MS_NS : 0;
    return 0;
}

static const struct option_rule rules[] = {
    {"--process", "NAME", "only this service",
     OPTION_TEXT(struct history_command, question.process)},
    {"--category", "NAME", "only this total or category: rss, heap.live, anon, file, ...",
     OPTION_TEXT(struct history_command, question.category)},
    {"--site", "REGEX", "only call sites that match", OPTION_CALLBACK(parse_site)},
    {"--since", "TIME", "only newer points: 2h, 7d, 2026-11-15, 2026-11-15T08:00 (UTC)",
     OPTION_CALLBACK(parse_since)},
    {"--top", "N", "number of call sites shown (10)",
     OPTION_COUNT(struct history_command, question.top, 0, OPTION_NO_LIMIT)},
    {"--limit", "SIZE",
     "memory limit, for the time until growth reaches it; as recorded unless given",
     OPTION_BYTES(struct history_command, question.limit_bytes, 1, INT64_MAX)},
    {"--plot", "FILE", "draw one service as NAME.svg or NAME.png",
     OPTION_TEXT(struct history_command, plot)},
    {"--json", NULL, "print JSON; docs/history-format.md",
     OPTION_FLAG(struct history_command, json)},
    {"--points", NULL, "with --json, also every point",
     OPTION_FLAG(struct history_command, question.with_points)},
    {"--csv", NULL, "print CSV, one point per line", OPTION_FLAG(struct history_command, csv)},
    {"-o", "FILE", "write the answer to FILE", OPTION_TEXT(struct history_command, output)},
    {"--no-color", NULL, "no colours (as NO_COLOR=1)",
     OPTION_FLAG(struct history_command, no_color)},
    {.name = NULL}};

/* The names there are, in a sentence about one that is not. */
static int no_such_process(const struct history_content *content, const char *name,
                           struct fault *fault)
{
    const char *nearest = NULL;
    vec_each (service, &content->services)
        if (!nearest || nearest_distance(name, service->name) < nearest_distance(name, nearest))
            nearest = service->name;
    if (!nearest)
        return fault_set(fault, -ENODATA, "this history has no service yet");
    if (nearest_is_near(name, nearest_distance(name, nearest)))
        return fault_set(fault, -ENODATA,
                         "there is no service \"%s\" in this history, did you mean \"%s\"?", name,
                         nearest);
    return fault_set(fault, -ENODATA, "there is no service \"%s\" in this history; there is \"%s\"",
                     name, nearest);
}

/* The service that has something to show; NULL with a sentence unless there is exactly one. */
static const struct history_service *only_service(const struct history_content *content,
                                                  struct fault *fault)
{
    const struct history_service *only = NULL;
    vec_each (service, &content->services) {
        if (service->runs.count == 0)
            continue;
        if (only) {
            fault_set(fault, -ENODATA,
                      "a plot shows one service, and there are several: choose with --process %s "
                      "or --process %s",
                      only->name, service->name);
            return NULL;
        }
        only = service;
    }
    if (!only)
        fault_set(fault, -ENODATA, "there is nothing in that time to draw");
    return only;
}

/* Asks about every series, so that the pattern has met all names. */
static bool has_any(const struct history_command *command, const struct history_content *content)
{
    bool has = false;
    vec_each (service, &content->services)
        vec_each (series, &service->series)
            has |= history_is_asked(&command->question, series);
    return has;
}

static int write_text(const struct history_command *command, const struct history_content *content,
                      struct fault *fault)
{
    FILE *out = answer_open(command->output, fault);
    int err = 0;
    if (!out)
        return fault->code;
    struct text_style const style = {answer_width(out), answer_wants_color(out, command->no_color)};
    if (command->json)
        err = history_json_write(&command->question, content, out);
    else if (command->csv)
        history_csv_write(&command->question, content, out);
    else
        err = history_table_write(&command->question, content, &style, out);
    int const closed = answer_close(out, command->output, fault);
    return err ? fault_set(fault, err, "out of memory while judging the history") : closed;
}

static int write_answer(const struct history_command *command,
                        const struct history_content *content, struct fault *fault)
{
    const struct history_question *question = &command->question;
    bool known = !question->process;
    vec_each (service, &content->services)
        known |= question->process && strcmp(service->name, question->process) == 0;
    if (!known)
        return no_such_process(content, question->process, fault);
    bool const has = has_any(command, content);
    int const err = command->site ? pattern_check(command->site, fault) : 0;
    if (err)
        return err;
    if (!has)
        return fault_set(fault, -ENODATA,
                         "this history has no such data; memoir history %s lists all its data",
                         question->path);
    if (!command->plot)
        return write_text(command, content, fault);
    const struct history_service *service = only_service(content, fault);
    return service ? history_picture_write(question, service, command->plot, fault) : fault->code;
}

static int answer(struct history_command *command, struct fault *fault)
{
    struct history_content content;
    confine_folder(command->question.path);
    confine_write(command->plot);
    confine_to(NULL, NULL, command->output, CONFINE_READER);
    struct history *history = history_open_to_read(command->question.path, fault);
    if (!history)
        return fault->code;
    int err = history_read(history, command->question.process, command->question.since_ms, &content,
                           fault);
    if (!err)
        err = write_answer(command, &content, fault);
    history_content_fini(&content);
    history_close(history);
    return err;
}

static const char summary[] =
    "Prints the trends of a history that memoir run, attach or map wrote with --history: for "
    "each\nservice its totals, categories and call sites, how they changed, and whether they "
    "grow.  A\nservice is a program, known by its name; its runs are kept apart, and growth is "
    "judged in the\nlast run.";

static const char examples[] = "  memoir history node.db\n"
                               "  memoir history node.db --since 7d --process node\n"
                               "  memoir history node.db --site 'cache|index' --top 50\n"
                               "  memoir history node.db --process node --plot node.svg\n"
                               "  memoir history node.db --category rss --csv >rss.csv\n"
                               "  memoir history node.db --json | jq '.services[].series[] | "
                               "select(.growth.verdict == \"growing\").name'\n";

/* A snapshot that `memoir map` has made, on standard input. */
static int add_snapshot(const char *path)
{
    static char text[HISTORY_LINES_MAX];
    static struct history_lines lines;
    struct fault fault = {.text = ""};
    text[fread(text, 1, sizeof(text) - 1, stdin)] = '\0';
    struct history *history =
        history_lines_parse(text, &lines, &fault) == 0 ? history_open(path, &fault) : NULL;
    if (history)
        (void)history_add(history, &lines.snapshot, &fault);
    history_close(history);
    if (fault.text[0])
        fprintf(stderr, "memoir: %s\n", fault.text);
    return fault.text[0] ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct history_command command = {
        .question = {.top = TOP_DEFAULT, .now_ms = unix_ns() / MS_NS}};
    struct fault fault = {.text = ""};
    struct option_set const sets[] = {{"Options", rules, &command}};
    struct command_help const help = {"memoir history DB [options]", summary, examples, sets, 1};
    int status;
    terminal_guard();
    if (argc < 2) {
        fprintf(stderr, "memoir-history: a part of memoir; use `memoir history`\n");
        return 2;
    }
    if (argc == 3 && strcmp(argv[1], HISTORY_LINES_COMMAND) == 0)
        return add_snapshot(argv[2]);
    int const words = command_words(argc - 1, argv + 1, &help, &status);
    if (words < 0)
        return status;
    if (words != 1 || command.json + command.csv + (command.plot != NULL) > 1) {
        fprintf(stderr, words != 1
                            ? "memoir history: needs one history: memoir history DB\n"
                            : "memoir history: --json, --csv and --plot are different answers: "
                              "choose one\n");
        return 2;
    }
    command.question.path = argv[2];
    int const err = answer(&command, &fault);
    if (err)
        fprintf(stderr, "memoir history: %s\n", fault.text[0] ? fault.text : "out of memory");
    pattern_destroy(command.site);
    return err == 0 ? 0 : err == -EINVAL ? 2 : 1;
}
