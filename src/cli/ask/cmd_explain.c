/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_explain.c - `memoir explain`: the owner of every resident byte of a process. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "process_map/refusal.h"
#include "process_map/snapshot.h"
#include "base/clock.h"
#include "base/human.h"
#include "capture/sessions/control.h"
#include "capture/pages/look_outside.h"
#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/answer_options.h"
#include "cli/ask/commands.h"
#include "cli/shared/open_input.h"
#include "cli/shared/parse_pid.h"
#include "report/rows/time_point.h"
#include "procfs/process/process_status.h"
#include "report/rows/explain_report.h"
#include "serve/targets/find_recording.h"

#define TOP_DEFAULT 5u
#define WAIT_TRIES  150u
#define NAP_NS      100000000l

struct explain_options {
    uint64_t top;
    struct time_point at;
    struct answer_options answer;
};

static int parse_at(void *into, const char *name, const char *value, struct fault *fault)
{
    struct slice const text = slice_of(value);
    return time_point_parse(text, &((struct explain_options *)into)->at) == 0
               ? 0
               : fault_set(fault, -EINVAL, "%s cannot be \"%s\": %s", name, value,
                           TIME_POINT_FORMS);
}

static const struct option_rule rules[] = {
    {"--top", "N", "number of owners to show of each kind (5)",
     OPTION_COUNT(struct explain_options, top, 0, OPTION_NO_LIMIT)},
    {"--at", "TIME", "state at TIME, from the last snapshot of the pages before TIME (the end)",
     OPTION_CALLBACK(parse_at)},
    {.name = NULL},
};

static int write_answer(const struct explain_report *report, const struct answer_options *options,
                        struct fault *fault)
{
    FILE *out = answer_open(options->output, fault);
    if (!out)
        return fault->code;
    struct text_style const style = {answer_width(out), answer_wants_color(out, options->no_color)};
    int const err = options->json  ? explain_json_write(report, out)
                    : options->csv ? explain_csv_write(report, out)
                                   : explain_text_write(report, &style, out);
    int const closed = answer_close(out, options->output, fault);
    return err == -ENOMEM ? fault_set(fault, err, "out of memory") : closed;
}

static int answer(struct recording *recording, const struct explain_options *options,
                  struct fault *fault)
{
    struct explanation explanation;
    struct explain_report const report = {recording, &explanation, options->top, unix_ns(), NULL};
    uint64_t to_ns;
    int err = time_point_resolve(&options->at, recording, &to_ns, fault);
    if (err == 0)
        err = explain_make(recording, to_ns, &explanation, fault);
    if (err < 0)
        return err;
    err = write_answer(&report, &options->answer, fault);
    explain_fini(&explanation);
    return err;
}

static bool is_since(const struct recording *recording, uint64_t unix_ns)
{
    return recording->residency.looks &&
           recording->start_unix_ns + recording->residency.time_ns >= unix_ns;
}

static void say_old(const struct recording *recording, uint64_t now)
{
    char ago[HUMAN_MAX];
    if (recording->residency.looks)
        fprintf(stderr,
                "memoir explain: warning: the recorder took no new snapshot; this is its snapshot "
                "of %s ago\n",
                human_duration(now - recording->start_unix_ns - recording->residency.time_ns, ago));
}

static struct recording *open_of_process(pid_t pid, struct fault *fault)
{
    struct found_recording found;
    struct recording *recording = NULL;
    if (find_recording((uint32_t)pid, &found, fault) == 0)
        recording = open_input(found.path, fault);
    found_recording_close(&found);
    return recording;
}

/* Has the recorder of `pid` look at its pages now, and waits until that is in the file.  A
 * recorder that is only asked by others, as that of a followed child, has looked lately: that
 * must do. */
static struct recording *look_now(pid_t pid, struct fault *fault)
{
    struct timespec const nap = {0, NAP_NS};
    uint64_t const now = unix_ns();
    bool const is_asked = control_ask(pid, "look", fault) == 0;
    struct recording *recording = open_of_process(pid, fault);
    for (unsigned i = 0; is_asked && i < WAIT_TRIES && !(recording && is_since(recording, now));
         i++) {
        nanosleep(&nap, NULL);
        struct recording *later = open_of_process(pid, fault);
        if (recording && !later) /* it has ended */
            break;
        recording_destroy(recording);
        recording = later;
    }
    if (recording && !is_since(recording, now))
        say_old(recording, now);
    return recording;
}

/* What its runtime says is its own, as memoir map shows it.  Nothing, when it says nothing or
 * may not be asked. */
static void find_known(struct process_snapshot *snapshot, struct known_areas *known)
{
    struct breakdown *breakdown = &snapshot->breakdown;
    vec_each (claim, &breakdown->claims) {
        bool const is_probable = claim->evidence == EVIDENCE_SHAPE;
        if (claim->section != SECTION_RUNTIME)
            continue;
        const char *name = breakdown_text(breakdown, "%s: %s%s", breakdown->runtime_title,
                                          claim->label, is_probable ? " (probable)" : "");
        (void)vec_push(&known->items, (struct known_area){claim->start, claim->end, name});
    }
}

static struct recording *look_from_outside(uint32_t pid, int *err, struct fault *fault)
{
    struct process_snapshot_options const options = {.way = SNAPSHOT_AUTO};
    struct process_snapshot snapshot;
    struct known_areas known = {0};
    bool const is_asked = snapshot_read(&snapshot, pid, &options, NULL) == 0;
    if (is_asked && snapshot.breakdown.runtime_title)
        find_known(&snapshot, &known);
    struct recording *recording = look_outside(pid, &known, err, fault);
    vec_free(&known.items);
    if (is_asked)
        snapshot_fini(&snapshot);
    return recording;
}

/* A process that nobody records can be looked at from outside. */
static struct recording *open_process(pid_t pid, struct fault *fault)
{
    struct recording *recording = look_now(pid, fault);
    int err;
    if (recording || refusal_before((uint32_t)pid, fault) < 0)
        return recording;
    recording = look_from_outside((uint32_t)pid, &err, fault);
    if (!recording) {
        struct process_status status = {.name = ""};
        (void)process_status_read((uint32_t)pid, 0, &status);
        refusal_after((uint32_t)pid, status.name, err, fault);
    }
    return recording;
}

static struct recording *open_what(const char *what, const char *output, struct fault *fault)
{
    pid_t pid;
    if (access(what, F_OK) == 0 || parse_pid(what, &pid) < 0) {
        confine_to(what, NULL, output, CONFINE_READER);
        return open_input(what, fault);
    }
    return open_process(pid, fault);
}

int cmd_explain(int argc, char **argv)
{
    struct explain_options options = {.top = TOP_DEFAULT, .at = {.anchor = TIME_BEFORE_END}};
    struct fault fault = {.text = ""};
    const struct option_set sets[] = {{"Choosing", rules, &options},
                                      {"The answer", answer_table_rules, &options.answer}};
    const struct command_help help = {
        "memoir explain PID|FILE [options]",
        "Names the owner of every resident byte of a process: live blocks by call stack, bytes "
        "that\nlive blocks pin without using them, free pages that the allocator keeps, mappings, "
        "stacks,\nfiles, memoir itself; and says which actions would give memory back.  With PID, "
        "memoir takes a\nsnapshot now; a recording has the snapshots of its time (--map-every of "
        "memoir run).  For a\nprocess that only memoir pages records, the owners are the call "
        "stacks that touched its pages\nfirst.",
        "  memoir explain 4242\n"
        "  memoir explain node.4242.memoir --at 2h\n"
        "  memoir explain node.4242.memoir --json | jq '.owners[] | {name, value}'\n"
        "  memoir flame node.4242.memoir --metric heap.held -o held.svg\n",
        sets, 2};
    int status;
    int const words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words != 1)
        return command_misused("explain",
                               "needs one process or recording: memoir explain PID|FILE");
    struct recording *recording = open_what(argv[1], options.answer.output, &fault);
    int const err = recording ? answer(recording, &options, &fault) : -EIO;
    recording_destroy(recording);
    if (err == 0)
        return 0;
    return command_failed("explain", &fault);
}
