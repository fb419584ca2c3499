/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/stack_shares.h"

#include "base/human.h"

static unsigned count_sources(const struct quality *quality)
{
    unsigned count = 0;
    for (unsigned i = 0; i < STACK_SOURCES; i++)
        count += quality->sources[i].stacks > 0;
    return count;
}

bool stack_shares_add(struct text_line *line, const struct recording *recording)
{
    const struct quality *quality = &recording->quality;
    const char *before = "stacks complete: ";
    char text[HUMAN_MAX];
    uint64_t all = 0;
    for (unsigned i = 0; i < STACK_END_KINDS; i++)
        all += quality->stack_ends[i];
    if (all == 0)
        return false;
    if (count_sources(quality) < 2) {
        line_add(line, "%s of stacks complete",
                 human_share((int64_t)quality->stack_ends[STACK_END_COMPLETE], (int64_t)all, text));
        return true;
    }
    for (unsigned i = 0; i < STACK_SOURCES; i++) {
        const struct stack_share *share = &quality->sources[i];
        if (share->stacks == 0)
            continue;
        line_add(line, "%s%s of %s", before,
                 human_share((int64_t)share->complete, (int64_t)share->stacks, text),
                 stack_source_name((enum stack_source)i));
        before = ", ";
    }
    return true;
}
