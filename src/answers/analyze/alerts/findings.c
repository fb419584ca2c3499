/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/alerts/findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool frame_is_named(const struct recording *recording, const struct frame *frame)
{
    uint64_t const last = (uint64_t)frame->first_location + frame->location_count;
    return frame->location_count && last <= recording->locations.count &&
           recording->locations.items[last - 1].function != STRING_EMPTY;
}

static enum unnamed_reason reason_of(const struct recording *recording, const struct frame *frame,
                                     const bool *module_has_names)
{
    if (frame->module >= recording->modules.count)
        return UNNAMED_NO_MODULE;
    return module_has_names[frame->module] ? UNNAMED_GAP : UNNAMED_NO_SYMBOLS;
}

static void find_nameless(const struct recording *recording, const uint64_t *unnamed,
                          const bool *module_has_names, struct findings *findings)
{
    for (size_t i = 0; i < recording->modules.count; i++) {
        if (unnamed[i] <= findings->nameless_frames)
            continue;
        findings->nameless = recording->modules.items[i].path;
        findings->nameless_frames = unnamed[i];
        findings->nameless_has_some = module_has_names[i];
    }
}

static int count_frames(const struct recording *recording, struct findings *findings)
{
    bool *module_has_names = calloc(recording->modules.count + 1, sizeof(bool));
    uint64_t *unnamed = calloc(recording->modules.count + 1, sizeof(uint64_t));
    if (!module_has_names || !unnamed) {
        free(module_has_names);
        free(unnamed);
        return -ENOMEM;
    }
    for (size_t i = 0; i < recording->frames.count; i++) {
        const struct frame *frame = &recording->frames.items[i];
        if (frame->module < recording->modules.count && frame_is_named(recording, frame))
            module_has_names[frame->module] = true;
    }
    findings->frames = recording->frames.count;
    for (size_t i = 0; i < recording->frames.count; i++) {
        const struct frame *frame = &recording->frames.items[i];
        if (frame_is_named(recording, frame))
            continue;
        enum unnamed_reason const reason = reason_of(recording, frame, module_has_names);
        findings->unnamed++;
        findings->unnamed_by_reason[reason]++;
        if (reason != UNNAMED_NO_MODULE)
            unnamed[frame->module]++;
    }
    find_nameless(recording, unnamed, module_has_names, findings);
    free(module_has_names);
    free(unnamed);
    return 0;
}

int findings_make(const struct recording *recording, struct findings *findings)
{
    memset(findings, 0, sizeof(*findings));
    for (int i = 0; i < STACK_END_KINDS; i++)
        findings->stack_ends += recording->quality.stack_ends[i];
    findings->complete_share = findings->stack_ends
                                   ? (double)recording->quality.stack_ends[STACK_END_COMPLETE] /
                                         (double)findings->stack_ends
                                   : 1;
    plausible_check(recording, &findings->plausibility);
    findings->rss_peak_bytes = findings->pss_peak_bytes = -1;
    for (size_t i = 0; i < recording->buckets.count; i++) {
        const struct bucket *bucket = &recording->buckets.items[i];
        int64_t const most = bucket->rss_max > 0 ? bucket->rss_max : bucket->gauges.rss_bytes;
        if (most > findings->rss_peak_bytes)
            findings->rss_peak_bytes = most;
        int64_t const shared = bucket->pss_max > 0 ? bucket->pss_max : bucket->pss_bytes;
        if (shared > 0 && shared > findings->pss_peak_bytes)
            findings->pss_peak_bytes = shared;
    }
    int err = count_frames(recording, findings);
    if (!err && findings->frames)
        findings->unnamed_share = (double)findings->unnamed / (double)findings->frames;
    return err;
}
