/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_export.c - `memoir export`: writes a recording in another program's format. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/human.h"
#include "cli/shared/confine.h"
#include "cli/shared/answer_file.h"
#include "cli/ask/commands.h"
#include "cli/shared/open_input.h"
#include "cli/shared/other_metrics.h"
#include "cli/ask/pick_rules.h"
#include "cli/ask/report_snapshots.h"
#include "cli/shared/selection_options.h"
#include "formats/shared/readers.h"
#include "formats/shared/registry.h"

struct export_options {
    const struct export_format *format;
    uint64_t max_events;
    bool with_name_list;
    struct snapshots_wanted snapshots;
    struct selection selection;
};

static int handle_to(void *into, const char *name, const char *value, struct fault *fault)
{
    struct export_options *options = into;
    char names[128] = "";
    options->format = export_format_find(value);
    if (options->format)
        return 0;
    for (const struct export_format *format = export_formats; format->name; format++) {
        const char *between = format == export_formats ? "" : format[1].name ? ", " : " or ";
        strncat(names, between, sizeof(names) - strlen(names) - 1);
        strncat(names, format->name, sizeof(names) - strlen(names) - 1);
    }
    return fault_set(fault, -EINVAL, "%s cannot be \"%s\": it is %s", name, value, names);
}

static const struct option_rule export_rules[] = {
    {"--to", "FORMAT", "format: folded, pprof, heaptrack, massif, callgrind or perf",
     OPTION_CALLBACK(handle_to)},
    {"--name-list", NULL, "perf: write names that the file cannot hold to /tmp/perf-PID.map",
     OPTION_FLAG(struct export_options, with_name_list)},
    {"--max-events", "N", "heaptrack: write about N events at most (20000000)",
     OPTION_COUNT(struct export_options, max_events, 1, OPTION_NO_LIMIT)},
    {.name = NULL},
};

static const char *const shared_rules[] = {
    "-o", "--metric", "--at", "--between", "--filter", "--threshold", "--node", "--kind", NULL};

static const char *const massif_rules[] = {"--snapshots", "--stacks", NULL};

/* What cannot be had together, as a sentence; NULL when all is well. */
static const char *conflict(const struct export_options *options)
{
    const struct selection *selection = &options->selection;
    const struct export_format *format = options->format;
    if (!format)
        return "name the format with --to folded, pprof, heaptrack, massif, callgrind or perf";
    bool const is_massif = strcmp(format->name, "massif") == 0;
    if (!is_massif &&
        (options->snapshots.most || options->snapshots.with_stacks || selection->threshold_given))
        return "--snapshots, --stacks and --threshold are for --to massif";
    if (selection->threshold_given && !(selection->threshold_share > 0))
        return "--threshold must be a share of the total, such as 0.5%";
    if (options->with_name_list && strcmp(format->name, "perf") != 0)
        return "--name-list is for --to perf";
    const char *refusal =
        export_refusal(format, selection->metric_given,
                       selection->at_given || selection->between_given, selection->filter != NULL);
    if (refusal)
        return refusal;
    bool to_terminal = !selection->output && isatty(STDOUT_FILENO);
    if (to_terminal && format->always_gzip)
        return "this format is not text for a terminal: name a file with -o";
    return NULL;
}

static int write_export(const struct export_options *options, struct export_job *job,
                        struct fault *fault)
{
    const char *path = options->selection.output;
    enum compression compression =
        options->format->always_gzip ? COMPRESS_GZIP : compression_of_name(path ? path : "");
    FILE *file = answer_open(path, fault);
    if (!file)
        return -EIO;
    struct output *out = output_create(file, compression);
    int err = out ? export_write(options->format, job, out, fault)
                  : fault_set(fault, -ENOMEM, "not enough memory to write the export");
    int finished = out ? output_finish(out, err ? NULL : fault) : 0;
    if (finished == -EPIPE && (!path || strcmp(path, "-") == 0))
        finished = 0; /* the reader has seen enough */
    err = err ? err : finished;
    if (err) {
        answer_discard(file, path);
        return err;
    }
    return answer_close(file, path, fault);
}

static void tell_growing(const struct recording *recording)
{
    char ago[HUMAN_MAX];
    uint64_t const now = unix_ns();
    if (recording->being_written && now >= recording->written_unix_ns)
        fprintf(stderr, "memoir export: note: still being written, as of %s ago\n",
                human_duration(now - recording->written_unix_ns, ago));
}

/* Where perf looks for names of code that is in no file.  Never takes the place of what is
 * there: a process may still use it. */
static FILE *open_name_list(const struct recording *recording, struct fault *fault)
{
    char path[64];
    snprintf(path, sizeof(path), "/tmp/perf-%u.map", recording->pid ? recording->pid : 1);
    int const fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        fault_set(fault, -errno, "cannot make %s: %s; perf looks for names in that file%s", path,
                  strerror(errno),
                  errno == EEXIST ? ", so remove it if the process has "
                                    "ended"
                                  : "");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

static int export_recording(struct export_options *options, struct recording *recording)
{
    struct fault fault = {.text = ""};
    struct selection *selection = &options->selection;
    if (selection_find_metrics(selection, recording, &fault) < 0)
        return command_failed("export", &fault);
    struct export_job job = {.recording = recording,
                             .metric = selection->metric_given ? selection->metric : NULL,
                             .filter = selection->pattern,
                             .max_events = options->max_events,
                             .snapshots = options->snapshots.most,
                             .threshold_share = selection->threshold_share,
                             .with_stacks = options->snapshots.with_stacks};
    struct selection chosen = *selection; /* a borrowed copy */
    if (!job.metric && export_needs_metric(options->format, recording)) {
        const char *note = selection_choose_metric(&chosen, recording);
        job.metric = chosen.metric;
        if (note)
            fprintf(stderr, "memoir export: note: %s\n", note);
        tell_other_metrics("export", recording, job.metric);
    }
    if ((job.metric && selection_check_metric(&chosen, recording, &fault) < 0) ||
        selection_range(selection, recording, &job.range, &fault) < 0)
        return command_failed("export", &fault);
    if (options->with_name_list && !(job.name_list = open_name_list(recording, &fault)))
        return command_failed("export", &fault);
    int const err = write_export(options, &job, &fault);
    if (job.name_list && fclose(job.name_list) != 0 && err == 0)
        fprintf(stderr, "memoir export: note: the list of names could not be written to its end\n");
    if (err < 0)
        return command_failed("export", &fault);
    tell_growing(recording);
    for (size_t i = 0; i < job.notes.count; i++)
        fprintf(stderr, "memoir export: note: %s\n", job.notes.text[i]);
    return 0;
}

static int run(int argc, char **argv, struct export_options *options)
{
    struct option_rule shared[PICKED_MAX], of_massif[PICKED_MAX];
    pick_rules(selection_rules, shared_rules, shared);
    pick_rules(snapshot_rules, massif_rules, of_massif);
    const struct option_set sets[] = {{"Format", export_rules, options},
                                      {"massif", of_massif, &options->snapshots},
                                      {"Choosing", shared, &options->selection}};
    const struct command_help help = {
        .usage = "memoir export FILE --to FORMAT -o OUT [options]",
        .summary =
            "Writes a recording in the format of another program.  OUT is compressed if its name "
            "ends in .gz or .zst; pprof is always compressed.",
        .examples = "  memoir export node.memoir --to pprof -o node.pb.gz && go tool pprof -top "
                    "-sample_index=peak_space node.pb.gz\n"
                    "  memoir export node.memoir --to heaptrack -o heaptrack.node.1.zst && "
                    "heaptrack_gui heaptrack.node.1.zst\n"
                    "  memoir export node.memoir --to folded --metric heap.leaked > leaks.folded\n"
                    "  memoir export node.memoir --to massif -o massif.out.1 && ms_print "
                    "massif.out.1\n"
                    "  memoir export node.memoir --to callgrind -o callgrind.out.1 && "
                    "callgrind_annotate --inclusive=yes callgrind.out.1\n"
                    "  memoir export node.memoir --to perf -o perf.data && perf report\n",
        .sets = sets,
        .set_count = sizeof(sets) / sizeof(sets[0])};
    int status;
    int words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words != 1)
        return command_misused(
            "export", words == 0 ? "name the recording to export: memoir export FILE --to pprof"
                                 : "one recording at a time, please");
    const char *problem = conflict(options);
    if (problem)
        return command_misused("export", problem);

    struct fault fault = {.text = ""};
    pprof_keep_labels(strcmp(options->format->name, "pprof") == 0);
    if (options->with_name_list)
        confine_write("/tmp/perf-.map");
    confine_to(argv[1], NULL, options->selection.output, CONFINE_READER);
    struct recording *recording = open_selected_input(argv[1], &options->selection, &fault);
    if (!recording)
        return command_failed("export", &fault);
    status = export_recording(options, recording);
    recording_destroy(recording);
    return status;
}

int cmd_export(int argc, char **argv)
{
    struct export_options options = {.max_events = EXPORT_MAX_EVENTS};
    selection_init(&options.selection);
    int status = run(argc, argv, &options);
    selection_fini(&options.selection);
    return status;
}
