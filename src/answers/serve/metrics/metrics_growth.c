/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/exchange.h"

#include "base/clock.h"
#include "serve/metrics/metrics_families.h"

#define JUDGE_EVERY_NS (10 * NS_PER_SECOND)
#define JUDGE_SHARE    100 /* judging may take this part of the time */

void growth_state_refresh(struct growth_state *state, struct recording *recording,
                          int64_t limit_bytes)
{
    uint64_t const began = monotonic_ns();
    uint64_t const rest = state->cost_ns * JUDGE_SHARE;
    if (state->judged_ns &&
        began - state->judged_ns < (rest > JUDGE_EVERY_NS ? rest : JUDGE_EVERY_NS))
        return;
    state->is_known = recording_growth_make(recording, limit_bytes, &state->growth, NULL) == 0;
    state->judged_ns = monotonic_ns();
    state->cost_ns = state->judged_ns - began;
}

struct judged {
    const char *category;
    const struct growth *growth;
};

static void write_verdict(struct metrics_out *out, const struct judged *judged)
{
    for (int verdict = GROWTH_UNKNOWN; verdict <= GROWTH_GROWING; verdict++) {
        const struct metrics_label labels[] = {
            {"category", judged->category},
            {"state", growth_verdict_name((enum growth_verdict)verdict)}};
        metrics_int(out, labels, 2, judged->growth->verdict == (enum growth_verdict)verdict);
    }
}

void metrics_write_growth(struct metrics_out *out, const struct growth_state *state)
{
    const struct judged all[] = {{"rss", &state->growth.rss}, {"heap", &state->growth.heap}};
    if (!state->is_known)
        return;
    metrics_family(out, "memoir_growth_state", "gauge", "",
                   "1 for the present growth verdict, else 0.");
    for (size_t i = 0; i < 2; i++)
        write_verdict(out, &all[i]);
    metrics_family(out, "memoir_growth_bytes_per_second", "gauge", "bytes_per_second",
                   "Slope of the growth.");
    for (size_t i = 0; i < 2; i++)
        metrics_real(out, &(struct metrics_label){"category", all[i].category}, 1,
                     all[i].growth->slope);
    metrics_family(out, "memoir_growth_to_limit_seconds", "gauge", "seconds",
                   "Time until memory reaches its limit at this slope; missing without growth or "
                   "limit.");
    for (size_t i = 0; i < 2; i++)
        if (all[i].growth->limit_ns != GROWTH_NEVER)
            metrics_real(out, &(struct metrics_label){"category", all[i].category}, 1,
                         (double)all[i].growth->limit_ns / 1e9);
}
