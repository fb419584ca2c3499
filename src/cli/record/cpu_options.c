/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/cpu_options.h"

#include <stdio.h>

#include "base/human.h"
#include "report/rows/stack_shares.h"

static void say_samples(const struct recording *recording)
{
    const struct timing *timing = &recording->timing;
    char samples[HUMAN_MAX], used[HUMAN_MAX], lost[HUMAN_MAX];
    if (timing->hz == 0)
        return;
    fprintf(stderr, "%s samples at %llu Hz", human_count((int64_t)timing->samples, samples),
            (unsigned long long)timing->hz);
    if (timing->cpu_ns > 0)
        fprintf(stderr, " of %s on a processor", human_duration(timing->cpu_ns, used));
    if (timing->lost > 0)
        fprintf(stderr, ", %s lost", human_count((int64_t)timing->lost, lost));
    fputs("; ", stderr);
}

void cpu_options_say_end(const struct recording *recording)
{
    const struct timing *timing = &recording->timing;
    struct text_line shares = {0};
    char waits[HUMAN_MAX], waited[HUMAN_MAX];
    fprintf(stderr, "memoir: %s", recording_text(recording, recording->program));
    if (recording->pid)
        fprintf(stderr, " (pid %u)", recording->pid);
    fputs(": ", stderr);
    say_samples(recording);
    if (timing->waits > 0)
        fprintf(stderr, "%s waits of %s together; ", human_count((int64_t)timing->waits, waits),
                human_duration(timing->wait_ns, waited));
    fprintf(stderr, "%s\n", stack_shares_add(&shares, recording) ? shares.text : "no stacks");
    for (size_t i = 0; i < recording->notes.count; i++)
        fprintf(stderr, "memoir: %s\n", recording_text(recording, recording->notes.items[i]));
}
