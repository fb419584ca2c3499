/* SPDX-License-Identifier: Apache-2.0 */
/* station_doubts.c - writes sentences about what a station does not see: why, and what to do. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cpu/clock_rights.h"
#include "cpu/station_parts.h"

#define DOUBTS                                                                                     \
    (sizeof(((struct cpu_state *)0)->doubts) / sizeof(((struct cpu_state *)0)->doubts[0]))

static void doubt(struct cpu_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void doubt(struct cpu_state *state, const char *format, ...)
{
    va_list arguments;
    for (size_t i = 0; i < DOUBTS; i++) {
        if (state->doubts[i][0])
            continue;
        va_start(arguments, format);
        vsnprintf(state->doubts[i], sizeof(state->doubts[i]), format, arguments);
        va_end(arguments);
        return;
    }
}

static void doubt_rights(const struct cpu_station *station,
                         const struct perf_samples_counts *counts, struct cpu_state *state)
{
    char fix[300];
    bool const waits_are_bare = station->options.off_cpu && !counts->sees_stops;
    clock_rights_fix(1, fix, sizeof(fix));
    if (!counts->sees_kernel && station->options.hz)
        doubt(state,
              "Time inside the kernel is not recorded%s (kernel.perf_event_paranoid is %d): "
              "%s.",
              waits_are_bare ? ", and waits are sums without stacks" : "", clock_rights_level(),
              fix);
    else if (waits_are_bare)
        doubt(state, "Waits are sums without stacks (kernel.perf_event_paranoid is %d): %s.",
              clock_rights_level(), fix);
    if (station->has_hidden_names)
        doubt(state,
              "The kernel hides the names of its functions: sudo sysctl -w kernel.kptr_restrict=0 "
              "kernel.perf_event_paranoid=1, or run memoir as root.");
    if (station->refused)
        doubt(state, "%" PRIu64 " processes found no room and were not seen: too many at once.",
              station->refused);
    if (station->unreadable)
        doubt(state,
              "The code of %" PRIu64
              " processes of other users may not be read: their stacks are missing; run memoir as "
              "root, or %s.",
              station->unreadable, strstr(fix, "sudo setcap"));
}

static void doubt_agent(const struct cpu_station *station, const struct perf_samples_counts *counts,
                        struct cpu_state *state)
{
    uint64_t gap_ns, gaps = time_source_gaps(station->source, &gap_ns);
    if (!counts->sees_kernel && station->options.hz)
        doubt(state,
              "Time inside the kernel has no kernel stacks: only root may see kernel addresses "
              "here (kernel.perf_event_paranoid is %d).",
              clock_rights_level());
    if (station->has_hidden_names)
        doubt(state,
              "The kernel hides the names of its functions: sudo sysctl -w kernel.kptr_restrict=0 "
              "kernel.perf_event_paranoid=1, or run memoir as root.");
    if (gaps)
        doubt(state,
              "The agent was gone %" PRIu64 " times, for %" PRIu64
              " ms in all: what happened meanwhile is missing.",
              gaps, gap_ns / 1000000);
    if (counts->lost)
        doubt(state, "%" PRIu64 " records found no room: sample less often (--hz).", counts->lost);
    if (counts->waits_lost)
        doubt(state, "There are too many threads: %" PRIu64 " of their waits were not seen.",
              counts->waits_lost);
}

/* The kernel's clock of a thread, which there is one of for each processor, begins with a whole
 * period: a thread that runs for less gives no sample.  Chance alone leaves so many out hardly
 * ever. */
static void doubt_short_runs(const struct cpu_station *station,
                             const struct perf_samples_counts *counts, struct cpu_state *state)
{
    const struct timing *timing = &state->timing;
    double const due = (double)timing->cpu_ns / NS_PER_SECOND * station->options.hz;
    double const missing = due - (double)timing->samples - (double)timing->lost;
    bool const is_wide = station->options.whole_machine || station->options.cgroup;
    if (is_wide || !counts->sees_kernel || counts->throttled > 0 || missing <= due / 4 ||
        missing * missing <= 16 * due)
        return;
    doubt(state,
          "%.0f of %.0f samples are missing, because many threads ran for less than %u ms each, "
          "which perf events of single threads do not sample: memoir cpu -a, or memoir agent "
          "(sudo memoir agent), sees them.",
          missing, due, (1000 + station->options.hz / 2) / station->options.hz);
}

void station_doubts(const struct cpu_station *station, const struct perf_samples_counts *counts,
                    struct cpu_state *state)
{
    if (time_source_is_agent(station->source)) {
        doubt_agent(station, counts, state);
        return;
    }
    doubt_rights(station, counts, state);
    if (station->options.hz)
        doubt_short_runs(station, counts, state);
    if (counts->stops_period > 1)
        doubt(state, "Threads wait so often that some waits have no stack; the sums include all "
                     "waits.");
    uint64_t const cut = state->stack_ends[STACK_END_CUT] + state->wait_ends[STACK_END_CUT];
    if (cut)
        doubt(state,
              "%" PRIu64
              " stacks are longer than what perf events copied, %u KiB at most, and hang "
              "under " STACK_CUT_NAME ": memoir agent copies all of them (sudo memoir agent).",
              cut, (counts->stack_bytes + 1023) / 1024);
    if (counts->lost)
        doubt(state,
              "%" PRIu64 " records of samples, switches and processes found no room: sample less "
              "often (--hz)%s.",
              counts->lost, station->options.off_cpu ? ", or without --off-cpu" : "");
    if (counts->throttled)
        doubt(state,
              "The kernel held samples back %" PRIu64
              " times: raise kernel.perf_event_max_sample_rate, or sample less often.",
              counts->throttled);
}
