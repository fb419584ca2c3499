/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/timing_text.h"

#include "base/human.h"

#define FEW_PERCENT 5u

static uint64_t expected_samples(const struct timing *timing)
{
    return (uint64_t)((double)timing->cpu_ns / 1e9 * (double)timing->hz + 0.5);
}

static bool render_on(const struct timing *timing, struct text_line *line)
{
    char samples[HUMAN_MAX], expected[HUMAN_MAX], used[HUMAN_MAX], share[HUMAN_MAX],
        lost[HUMAN_MAX];
    uint64_t const due = expected_samples(timing);
    line_add(line, "%s samples at %llu Hz", human_count((int64_t)timing->samples, samples),
             (unsigned long long)timing->hz);
    if (timing->cpu_ns > 0)
        line_add(line, "; the kernel counts %s on processors, which is %s samples",
                 human_duration(timing->cpu_ns, used), human_count((int64_t)due, expected));
    if (timing->in_kernel > 0)
        line_add(line, "; %s of samples inside the kernel",
                 human_share((int64_t)timing->in_kernel, (int64_t)timing->samples, share));
    if (timing->kernel_unnamed > 0)
        line_add(line, ", without names: its addresses are hidden");
    if (timing->lost > 0)
        line_add(line, "; %s lost", human_count((int64_t)timing->lost, lost));
    if (timing->throttled > 0)
        line_add(line, "; held back by the kernel %s times",
                 human_count((int64_t)timing->throttled, lost));
    /* Few samples differ by chance. */
    return timing->lost > 0 || timing->throttled > 0 ||
           (due > 1000 && timing->samples * 100 < due * (100 - FEW_PERCENT));
}

static bool render_off(const struct timing *timing, struct text_line *line)
{
    char waits[HUMAN_MAX], waited[HUMAN_MAX], without[HUMAN_MAX], lost[HUMAN_MAX];
    line_add(line, "%s waits, %s of all threads together",
             human_count((int64_t)timing->waits, waits), human_duration(timing->wait_ns, waited));
    if (timing->waits_without_stack > 0)
        line_add(line, "; %s of them without a stack",
                 human_count((int64_t)timing->waits_without_stack, without));
    if (timing->waits_lost > 0)
        line_add(line, "; %s lost", human_count((int64_t)timing->waits_lost, lost));
    return timing->waits_lost > 0 || timing->waits_without_stack > 0;
}

bool timing_render(const struct recording *recording, struct text_line *on, struct text_line *off)
{
    const struct timing *timing = &recording->timing;
    bool doubtful = false;
    if (timing->hz > 0)
        doubtful |= render_on(timing, on);
    if (timing->waits > 0)
        doubtful |= render_off(timing, off);
    return doubtful;
}
