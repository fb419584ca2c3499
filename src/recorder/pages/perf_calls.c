/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/perf_calls.h"

void perf_calls_begin(struct perf_calls *calls, const struct perf_call *call)
{
    if (call->tid == 0 || !vec_reserve(&calls->open, 1))
        return;
    uint32_t *place = number_map_at(&calls->index, call->tid);
    if (!place)
        return;
    if (*place == 0) {
        (void)vec_push(&calls->open, *call);
        *place = (uint32_t)calls->open.count;
    }
    calls->open.items[*place - 1] = *call;
}

bool perf_calls_end(struct perf_calls *calls, uint32_t tid, struct perf_call *call)
{
    uint32_t const place = number_map_remove(&calls->index, tid);
    if (place == 0)
        return false;
    *call = calls->open.items[place - 1];
    struct perf_call const last = calls->open.items[--calls->open.count];
    if (last.tid != tid) {
        calls->open.items[place - 1] = last;
        *number_map_at(&calls->index, last.tid) = place;
    }
    return true;
}

void perf_calls_fini(struct perf_calls *calls)
{
    vec_free(&calls->open);
    number_map_fini(&calls->index);
}
