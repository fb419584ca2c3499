/* SPDX-License-Identifier: Apache-2.0 */
/* callgrind_writer.c - writes callgrind.out: functions with their own cost and the cost of their
 * calls, several metrics side by side. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/human.h"
#include "base/slice.h"
#include "formats/callgrind/cost_graph.h"
#include "formats/shared/writers.h"
#include "model/metric.h"

struct side_event {
    const char *name, *metric;
};

#define EVENT_NAME_MAX 64

/* What is written side by side, in this order; ends with a NULL name. */
static const struct side_event side_by_side[] = {
    {"CpuNs", "cpu.on"},          {"WaitNs", "cpu.off"},        {"Ir", "cpu.instructions"},
    {"AllocB", "heap.allocated"}, {"Allocs", "heap.calls"},     {"PeakB", "heap.peak"},
    {"LiveB", "heap.live"},       {"PagesB", "pages.resident"}, {NULL, NULL},
};

/* Finds the name of the event for a metric: from the table, or made of the metric's name
 * ("heap.temporary" becomes HeapTemporary). */
static void name_event(const struct metric *metric, char name[EVENT_NAME_MAX])
{
    size_t size = 0;
    bool starts_word = true;
    for (const struct side_event *event = side_by_side; event->name; event++)
        if (strcmp(event->metric, metric->name) == 0) {
            strcpy(name, event->name);
            return;
        }
    for (const char *from = metric->name; *from && size + 1 < EVENT_NAME_MAX; from++) {
        if (isalnum((unsigned char)*from))
            name[size++] = starts_word ? (char)toupper((unsigned char)*from) : *from;
        starts_word = !isalnum((unsigned char)*from);
    }
    name[size] = '\0';
}

struct callgrind_file {
    struct export_job *job;
    struct output *out;
    struct cost_graph graph;
    const struct metric *metrics[COST_EVENTS_MAX];
    unsigned event_count;
    struct time_range used;
    uint64_t shrunk;
    VEC(bool) told[3]; /* by number: names that the file has; objects, files, functions */
};
enum name_kind { NAME_OBJECT, NAME_FILE, NAME_FUNCTION };

static int add_event(struct callgrind_file *file, const struct metric *metric, bool is_asked_for,
                     struct fault *fault)
{
    struct weights weights;
    int err = export_weigh(file->job, metric, &weights, fault);
    if (err == -ERANGE && !is_asked_for)
        return 0; /* the peak is at another time */
    if (err)
        return err;
    if (metric->kind != METRIC_PINNED)
        file->used = weights.used;
    if (is_asked_for || weights.total_value != 0) {
        for (size_t i = 0; i < weights.rows.count && !err; i++) {
            const struct weight *row = &weights.rows.items[i];
            file->shrunk += row->value < 0;
            if (row->value > 0)
                err = cost_graph_add(&file->graph, row->key, metric, file->event_count,
                                     (uint64_t)row->value);
        }
        file->metrics[file->event_count++] = metric;
    }
    weights_fini(&weights);
    return err ? fault_set(fault, err, "Not enough memory to build the graph.") : 0;
}

static int add_events(struct callgrind_file *file, struct fault *fault)
{
    if (file->job->metric)
        return add_event(file, file->job->metric, true, fault);
    for (const struct side_event *event = side_by_side; event->name; event++) {
        const struct metric *metric = metric_find(event->metric);
        bool const is_known = metric && (metric->minus != COL_HEAP_FREED ||
                                         recording_knows_live(file->job->recording));
        int const err = is_known ? add_event(file, metric, false, fault) : 0;
        if (err)
            return err;
    }
    const struct recording *recording = file->job->recording;
    for (unsigned i = 0; i < recording->own_metric_count; i++) {
        if (file->event_count == COST_EVENTS_MAX) {
            export_note(file->job, "%u metrics are left out, because the file has room for %u",
                        recording->own_metric_count - i, COST_EVENTS_MAX);
            break;
        }
        int const err = add_event(file, &recording->own_metrics[i], false, fault);
        if (err)
            return err;
    }
    return file->event_count ? 0 : add_event(file, metric_find("heap.allocated"), true, fault);
}

static void put_text(struct output *out, const char *text)
{
    for (; *text; text++)
        output_char(out, (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text);
}

/* "fn=(3) name" the first time, "fn=(3)" after that. */
static int put_name(struct callgrind_file *file, const char *key, enum name_kind kind,
                    uint32_t number, const char *name)
{
    while (file->told[kind].count <= number)
        if (!vec_push(&file->told[kind], false))
            return -ENOMEM;
    output_format(file->out, "%s=(%" PRIu32 ")", key, number + 1);
    if (!file->told[kind].items[number]) {
        output_char(file->out, ' ');
        put_text(file->out, *name ? name : "???");
        file->told[kind].items[number] = true;
    }
    output_char(file->out, '\n');
    return 0;
}

/* Object, file and function, as the one at hand or as the one that is called. */
static int put_function(struct callgrind_file *file, uint32_t index, bool is_callee)
{
    const struct recording *recording = file->job->recording;
    const struct cost_function *function = &file->graph.functions.items[index];
    int err = put_name(file, is_callee ? "cob" : "ob", NAME_OBJECT, function->module,
                       recording_text(recording, function->module));
    if (!err)
        err = put_name(file, is_callee ? "cfi" : "fl", NAME_FILE, function->file,
                       recording_text(recording, function->file));
    if (!err)
        err = put_name(file, is_callee ? "cfn" : "fn", NAME_FUNCTION, index,
                       recording_text(recording, function->name));
    return err;
}

static void put_costs(const struct callgrind_file *file, const uint64_t *costs)
{
    for (unsigned i = 0; i < file->event_count; i++)
        output_format(file->out, " %" PRIu64, costs[i]);
    output_char(file->out, '\n');
}

static int put_body(struct callgrind_file *file)
{
    const struct cost_graph *graph = &file->graph;
    size_t line = 0, call = 0;
    for (uint32_t i = 0; i < graph->functions.count; i++) {
        output_char(file->out, '\n');
        int err = put_function(file, i, false);
        for (; !err && line < graph->lines.count && graph->lines.items[line].function == i;
             line++) {
            output_format(file->out, "%" PRIu32, graph->lines.items[line].line);
            put_costs(file, graph->lines.items[line].costs);
        }
        for (; !err && call < graph->calls.count && graph->calls.items[call].caller == i; call++) {
            err = put_function(file, graph->calls.items[call].callee, true);
            output_format(file->out, "calls=1 0\n%" PRIu32, graph->calls.items[call].line);
            put_costs(file, graph->calls.items[call].costs);
        }
        if (err)
            return err;
    }
    return 0;
}

static void put_head(const struct callgrind_file *file)
{
    const struct recording *recording = file->job->recording;
    char names[COST_EVENTS_MAX][EVENT_NAME_MAX], from[HUMAN_MAX], to[HUMAN_MAX];
    output_text(file->out, "# callgrind format\nversion: 1\ncreator: memoir " MEMOIR_VERSION "\n");
    output_format(file->out, "pid: %" PRIu32 "\ncmd: ", recording->pid);
    put_text(file->out, recording_text(recording, recording->command_line));
    output_format(file->out, "\npart: 1\n\ndesc: Timerange: %s - %s\n",
                  human_duration(file->used.from_ns, from), human_duration(file->used.to_ns, to));
    if (*export_losses(file->job))
        output_format(file->out, "desc: %s\n", export_losses(file->job));
    output_text(file->out, "\npositions: line\n");
    for (unsigned i = 0; i < file->event_count; i++) {
        name_event(file->metrics[i], names[i]);
        output_format(file->out, "event: %s : %s, %s (%s)\n", names[i], file->metrics[i]->name,
                      file->metrics[i]->help, file->metrics[i]->unit);
    }
    output_text(file->out, "events:");
    for (unsigned i = 0; i < file->event_count; i++)
        output_format(file->out, " %s", names[i]);
    output_text(file->out, "\nsummary:");
    put_costs(file, file->graph.totals);
}

static int put_all(struct callgrind_file *file, struct fault *fault)
{
    bool const fine = cost_graph_finish(&file->graph) == 0;
    put_head(file);
    if (!fine || put_body(file) < 0)
        return fault_set(fault, -ENOMEM, "Not enough memory to write the names.");
    output_text(file->out, "\ntotals:");
    put_costs(file, file->graph.totals);
    if (file->shrunk)
        export_note(file->job,
                    "%" PRIu64 " stacks that shrank are left out, because this format has no "
                    "negative numbers",
                    file->shrunk);
    return 0;
}

int callgrind_write(struct export_job *job, struct output *out, struct fault *fault)
{
    struct callgrind_file file = {.job = job, .out = out, .graph = {.recording = job->recording}};
    int err = add_events(&file, fault);
    output_be_text(out);
    if (!err)
        err = put_all(&file, fault);
    cost_graph_fini(&file.graph);
    for (size_t i = 0; i < sizeof(file.told) / sizeof(file.told[0]); i++)
        vec_free(&file.told[i]);
    return err;
}
