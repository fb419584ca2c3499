/* SPDX-License-Identifier: Apache-2.0 */
/* route_pprof.c - the heap in the form of Go's net/http/pprof, for every client that reads that. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "formats/shared/output.h"
#include "formats/shared/registry.h"
#include "serve/content/pprof_text.h"
#include "serve/http/request_text.h"
#include "serve/routes/routes.h"

#define SECONDS_MOST 300
#define TOP_DEFAULT  1000 /* stacks of the text */
#define TOP_MOST     100000
#define LATER_NS     UINT64_C(200000000)
#define PATIENCE_NS  (10 * NS_PER_SECOND) /* for the recorder to write what happened */

struct profile {
    const char *name, *metric; /* as in the path, and what is shown first */
    uint64_t debug, seconds, top;
};

void route_pprof_index(struct target *target, struct request *request, struct answer *answer)
{
    static const char page[] =
        "<!DOCTYPE html>\n<html "
        "lang=\"en\"><head><title>/debug/pprof/</title></head><body>\n<h1>/debug/pprof/</"
        "h1>\n<ul>\n<li><a "
        "href=\"/debug/pprof/heap\">heap</a>: which code holds the heap now (<a "
        "href=\"/debug/pprof/heap?debug=1\">text</a>)</li>\n<li><a "
        "href=\"/debug/pprof/allocs\">allocs</a>: which code asked for all allocations so far (<a "
        "href=\"/debug/pprof/allocs?debug=1\">text</a>)</li>\n<li><a "
        "href=\"/debug/pprof/profile?seconds=10\">profile</a>: time on CPUs, in "
        "<code>?seconds=30</code></li>\n<li><a href=\"/debug/fgprof?seconds=10\">fgprof</a>: time "
        "on CPUs and time spent waiting (<a "
        "href=\"/debug/fgprof?seconds=10&amp;format=folded\">folded</a>)</li>\n<li><a "
        "href=\"/debug/pprof/goroutine\">goroutine</a>: the stack of every thread now (<a "
        "href=\"/debug/pprof/goroutine?debug=1\">by stack</a>, <a "
        "href=\"/debug/pprof/goroutine?debug=2\">by thread</a>)</li>\n<li>For a Go program with "
        "<code>--go-pprof URL</code>, also: <a href=\"/debug/pprof/block\">block</a>, <a "
        "href=\"/debug/pprof/mutex\">mutex</a>, <a "
        "href=\"/debug/pprof/threadcreate\">threadcreate</a>, <a "
        "href=\"/debug/pprof/trace?seconds=1\">trace</a>, <a "
        "href=\"/debug/pprof/cmdline\">cmdline</a></li>\n</ul>\n<p>heap and allocs with "
        "<code>?seconds=N</code>: what changed in that time.</p>\n<pre>go tool pprof "
        "http://HOST/debug/pprof/heap</pre>\n</body></html>\n";
    FILE *out = answer_begin(answer);
    (void)target, (void)request;
    if (out)
        fputs(page, out);
    answer_finish(answer, out, TYPE_HTML);
}

/* The parameters; false with an answer when they make no sense. */
static bool parse_parameters(struct profile *profile, const struct request *request,
                             struct answer *answer)
{
    const char *debug = request_parameter(request, "debug");
    const char *seconds = request_parameter(request, "seconds");
    const char *top = request_parameter(request, "top");
    if (top && number_parse(top, 1, TOP_MOST, &profile->top) < 0)
        answer_error(answer, request, 400, "top is a whole number from 1 to %d.", TOP_MOST);
    else if (debug && number_parse(debug, 0, 2, &profile->debug) < 0)
        answer_error(answer, request, 400, "debug is 0 for the profile or 1 for text.");
    else if (seconds && number_parse(seconds, 1, SECONDS_MOST, &profile->seconds) < 0)
        answer_error(answer, request, 400, "seconds is a whole number from 1 to %d.", SECONDS_MOST);
    else if (profile->debug && profile->seconds)
        answer_error(answer, request, 400, "seconds and debug do not go together.");
    else
        return true;
    return false;
}

/* Whether a change over some seconds can be told now.  It begins with what the recording had
 * when asked for. */
static bool is_due(const struct profile *profile, struct request *request,
                   const struct recording *recording, struct answer *answer)
{
    uint64_t const waited = monotonic_ns() - request->began_ns;
    uint64_t const wanted = profile->seconds * NS_PER_SECOND;
    if (!request->from_ns) {
        request->from_ns = recording->duration_ns ? recording->duration_ns : 1;
        answer_later(answer, wanted);
        return false;
    }
    bool const has_more = recording->duration_ns >= request->from_ns + wanted;
    if (waited >= wanted && (has_more || waited >= wanted + PATIENCE_NS))
        return true;
    answer_later(answer, waited < wanted ? wanted - waited : LATER_NS);
    return false;
}

static int write_profile(const struct profile *profile, const struct request *request,
                         struct recording *recording, FILE *file, struct fault *fault)
{
    struct export_job job = {.recording = recording,
                             .metric = metric_find(profile->metric),
                             .range = {request->from_ns, UINT64_MAX},
                             .hides_addresses = !request->may_see_addresses,
                             .leaves_out_peak = profile->seconds > 0};
    struct pprof_text_view const view = {.by_allocated = strcmp(profile->name, "allocs") == 0,
                                         .hides_addresses = job.hides_addresses,
                                         .top = (size_t)profile->top};
    if (profile->debug)
        return pprof_text_write(recording, &view, file, fault);
    struct output *out = output_create(file, COMPRESS_GZIP);
    if (!out)
        return fault_set(fault, -ENOMEM, "out of memory");
    int const err = export_format_find("pprof")->write(&job, out, fault);
    int const end = output_finish(out, err ? NULL : fault);
    return err ? err : end;
}

static void serve_profile(struct profile *profile, struct target *target, struct request *request,
                          struct answer *answer)
{
    struct fault fault = {.text = ""};
    if (route_relay(profile->name, target, request, answer))
        return;
    if (!parse_parameters(profile, request, answer))
        return;
    struct recording *recording = target_recording(target, NULL, &fault);
    if (!recording) {
        answer_error(answer, request, 404, "%s", fault.text);
        return;
    }
    if (profile->seconds && !recording->being_written && !request->from_ns) {
        answer_error(answer, request, 400, "The recording has ended: nothing changes any more.");
        return;
    }
    if (profile->seconds && recording->being_written &&
        !is_due(profile, request, recording, answer))
        return;
    FILE *out = answer_begin(answer);
    int const err = out ? write_profile(profile, request, recording, out, &fault) : 0;
    answer_finish(answer, out, profile->debug ? TYPE_TEXT : "application/octet-stream");
    answer->name = profile->debug ? NULL : profile->name;
    if (err)
        answer_error(answer, request, 500, "Cannot make the profile: %s", fault.text);
}

void route_pprof_heap(struct target *target, struct request *request, struct answer *answer)
{
    serve_profile(&(struct profile){"heap", "heap.live", 0, 0, TOP_DEFAULT}, target, request,
                  answer);
}

void route_pprof_allocs(struct target *target, struct request *request, struct answer *answer)
{
    serve_profile(&(struct profile){"allocs", "heap.allocated", 0, 0, TOP_DEFAULT}, target, request,
                  answer);
}
