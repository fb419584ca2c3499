/* SPDX-License-Identifier: Apache-2.0 */
#include "nets/load.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_out.h"
#include "nets/latency.h"
#include "nets/load_calls.h"

struct counts {
    uint64_t due, sent, good, bad, left_out;
};

struct load {
    const struct load_options *options;
    const struct load_kind *kind;
    struct load_calls *calls;
    FILE *log;
    uint64_t begin_ns, told_ns;
    struct counts now, told; /* since the beginning; as they were at the last line */
    struct latency second, whole;
    char last_error[160];
};

static void call_done(void *context, uint64_t due_ns, const char *why)
{
    struct load *load = context;
    if (why) {
        load->now.bad++;
        snprintf(load->last_error, sizeof(load->last_error), "%s", why);
        return;
    }
    uint64_t const us = (monotonic_ns() - due_ns) / 1000;
    load->now.good++;
    latency_add(&load->second, us);
    latency_add(&load->whole, us);
}

static uint64_t due_at(const struct load *load, uint64_t number)
{
    return load->begin_ns + (uint64_t)((double)number / load->options->tps * (double)NS_PER_SECOND);
}

static void begin_due(struct load *load)
{
    struct protobuf_out body = {0};
    for (uint64_t now = monotonic_ns(); due_at(load, load->now.due) <= now;) {
        uint64_t const number = load->now.due++;
        const char *path;
        if (load_calls_under_way(load->calls) >= LOAD_UNDER_WAY_MAX) {
            load->now.left_out++;
            continue;
        }
        protobuf_reset(&body);
        load->kind->make(load->options, number, &body, &path);
        size_t const target = number % load->options->targets.count;
        if (body.failed ||
            load_calls_begin(load->calls, target, path, &body, due_at(load, number)) != 0)
            load->now.left_out++;
        else
            load->now.sent++;
    }
    protobuf_fini(&body);
}

static void set_timer(const struct load *load, int timer)
{
    uint64_t const next = due_at(load, load->now.due);
    uint64_t const line = load->told_ns + NS_PER_SECOND;
    uint64_t const when = next < line ? next : line;
    struct itimerspec const spec = {
        .it_value = {(time_t)(when / NS_PER_SECOND), (long)(when % NS_PER_SECOND)}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void tell(struct load *load, bool is_final)
{
    uint64_t const now = monotonic_ns();
    const struct counts before = is_final ? (struct counts){0} : load->told;
    const struct latency *latency = is_final ? &load->whole : &load->second;
    double const seconds =
        (double)(now - (is_final ? load->begin_ns : load->told_ns)) / (double)NS_PER_SECOND;
    struct json_out json;
    json_init(&json, load->log, false);
    json_object_begin(&json);
    json_uint_field(&json, "unix_ms", unix_ns() / 1000000);
    if (is_final)
        json_bool_field(&json, "final", true);
    json_real_field(&json, "seconds", seconds);
    json_real_field(&json, "wanted_tps", load->options->tps);
    json_real_field(&json, "tps", (double)(load->now.good - before.good) / seconds);
    json_uint_field(&json, "due", load->now.due - before.due);
    json_uint_field(&json, "sent", load->now.sent - before.sent);
    json_uint_field(&json, "ok", load->now.good - before.good);
    json_uint_field(&json, "errors", load->now.bad - before.bad);
    json_uint_field(&json, "left_out", load->now.left_out - before.left_out);
    json_uint_field(&json, "under_way", load_calls_under_way(load->calls));
    json_uint_field(&json, "p50_us", latency_percentile(latency, 0.5));
    json_uint_field(&json, "p90_us", latency_percentile(latency, 0.9));
    json_uint_field(&json, "p99_us", latency_percentile(latency, 0.99));
    json_uint_field(&json, "max_us", latency->max_us);
    if (load->last_error[0])
        json_text_field(&json, "last_error", load->last_error);
    json_object_end(&json);
    json_finish(&json);
    load->told = load->now;
    load->told_ns = now;
    load->second = (struct latency){0};
    load->last_error[0] = '\0';
}

static void run(struct load *load, int timer, int stop)
{
    uint64_t fired;
    struct pollfd stopped = {.fd = stop, .events = POLLIN};
    load->begin_ns = load->told_ns = monotonic_ns();
    while (poll(&stopped, 1, 0) == 0) {
        begin_due(load);
        if (monotonic_ns() - load->told_ns >= NS_PER_SECOND)
            tell(load, false);
        set_timer(load, timer);
        load_calls_work(load->calls, timer, stop);
        while (read(timer, &fired, sizeof(fired)) == sizeof(fired))
            ;
    }
    tell(load, true);
}

int load_run(const struct load_options *options, int stop, FILE *log, struct fault *fault)
{
    struct load *load = calloc(1, sizeof(*load));
    if (!load)
        return fault_set(fault, -ENOMEM, "out of memory");
    *load = (struct load){.options = options, .kind = load_kind_find(options->kind), .log = log};
    int err =
        load->kind ? 0 : fault_set(fault, -EINVAL, "there is no load of kind %s", options->kind);
    int const timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (!err && timer < 0)
        err = fault_set(fault, -errno, "no timer: %s", strerror(errno));
    if (!err &&
        !(load->calls = load_calls_create(load->kind, &options->targets, call_done, load, fault)))
        err = -ENOMEM;
    if (!err)
        run(load, timer, stop);
    if (load->calls)
        load_calls_destroy(load->calls);
    if (timer >= 0)
        close(timer);
    free(load);
    return err;
}
