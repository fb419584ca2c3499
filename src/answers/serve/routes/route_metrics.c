/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "procfs/cgroup/memory_limit.h"
#include "serve/metrics/metrics_families.h"
#include "serve/routes/routes.h"

#define SITES_SHARE 20 /* adding up sites may take this part of the time */

static void write_flag(struct metrics_out *out, const char *name, const char *help, bool value)
{
    metrics_family(out, name, "gauge", "", help);
    metrics_int(out, NULL, 0, value);
}

static void write_process(struct metrics_out *out, struct target *target,
                          struct metrics_state *state)
{
    struct memory_status memory;
    bool const runs = target_memory(target, &memory, NULL) == 0;
    write_flag(out, "memoir_process_up", "1 while the watched process runs, else 0.", runs);
    if (!runs)
        return;
    memory_look_refresh(&state->look, target_pid(target));
    metrics_write_process(out, &memory, address_limit_read(target_pid(target)),
                          target_began_ns(target));
    metrics_write_memory(out, &state->look);
}

/* Of the cgroup, when it has one. */
static int64_t limit_of(const struct memory_look *look)
{
    return look->is_known && look->cgroup.limit > 0 ? look->cgroup.limit : 0;
}

/* Where there are very many stacks it takes a while: then the numbers may be some seconds old. */
static void add_up_sites(struct metrics_state *state, struct recording *recording,
                         const struct running *running)
{
    struct sites_state *adding = &state->adding;
    uint64_t const began = monotonic_ns();
    bool const is_rested = began - adding->added_ns >= adding->cost_ns * SITES_SHARE;
    bool const is_new =
        running_time(running) != adding->time_ns || state->sites.table.recording != recording;
    if (adding->added_ns && (!is_rested || !is_new))
        return;
    site_list_update(&state->sites, recording, running);
    adding->time_ns = running_time(running);
    adding->added_ns = monotonic_ns();
    adding->cost_ns = adding->added_ns - began;
}

static void write_recording(struct metrics_out *out, struct target *target,
                            struct metrics_state *state)
{
    const struct running *running;
    struct recording *recording = target_recording(target, &running, NULL);
    write_flag(out, "memoir_recorded", "1 when there is a recording of the process, else 0.",
               recording != NULL);
    if (!recording)
        return;
    metrics_write_heap(out, recording, running);
    add_up_sites(state, recording, running);
    metrics_write_sites(out, &state->sites);
    growth_state_refresh(&state->growth, recording, limit_of(&state->look));
    metrics_write_growth(out, &state->growth);
    metrics_write_quality(out, recording, unix_ns());
}

static void write_requests(struct metrics_out *out, const struct request_counts *counts)
{
    struct metrics_label const let_in = {"result", "let_in"}, refused = {"result", "refused"};
    struct metrics_label const left = {"result", "left"};
    metrics_family(
        out, "memoir_serve_requests_total", "counter", "",
        "Requests to this server: let_in (accepted), left (accepted, but the client left early), "
        "refused (host, token, method or other site).");
    metrics_uint(out, &let_in, 1, counts->let_in);
    metrics_uint(out, &left, 1, counts->left);
    metrics_uint(out, &refused, 1, counts->refused);
}

static void write_all(struct metrics_out *out, struct target *target, struct metrics_state *state,
                      const struct request_counts *counts)
{
    struct metrics_label const version = {"version", MEMOIR_VERSION};
    metrics_family(out, "memoir_build_info", "gauge", "", "The version of memoir, always 1.");
    metrics_int(out, &version, 1, 1);
    write_requests(out, counts);
    if (target_pid(target))
        write_process(out, target, state);
    write_recording(out, target, state);
}

/* One text serves all who ask within a moment: whoever asks often costs the watched process
 * nothing more. */
static int make_text(struct target *target, struct metrics_state *state, enum metrics_format format,
                     const struct request_counts *counts)
{
    struct metrics_text *text = &state->texts[format];
    struct answer made = {0};
    struct metrics_out out;
    if (text->body && monotonic_ns() - text->made_ns < METRICS_KEEP_NS)
        return 0;
    FILE *file = answer_begin(&made);
    if (file) {
        metrics_init(&out, file, format);
        write_all(&out, target, state, counts);
        metrics_finish(&out);
    }
    answer_finish(&made, file, "");
    if (made.status != 200)
        return -1;
    free(text->body);
    *text = (struct metrics_text){made.body, made.size, monotonic_ns()};
    return 0;
}

void route_metrics(struct target *target, struct request *request, struct answer *answer)
{
    struct metrics_state *state = target_metrics_state(target);
    enum metrics_format const format = request->wants_openmetrics ? METRICS_OPEN : METRICS_TEXT;
    bool const is_made = state && make_text(target, state, format, request->counts) == 0;
    FILE *out = is_made ? answer_begin(answer) : NULL;
    if (out)
        fwrite(state->texts[format].body, 1, state->texts[format].size, out);
    answer_finish(answer, out, metrics_content_type(format));
}
