/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_order.h"

#include <errno.h>
#include <stdlib.h>

#define ENTRY_BYTES 96u /* what one costs besides its body, about */

void perf_order_fini(struct perf_order *order)
{
    vec_each (waiting, &order->heap)
        free(waiting->bytes);
    vec_free(&order->heap);
}

static bool is_before(const struct perf_data_waiting *a, const struct perf_data_waiting *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void swap(struct perf_data_waiting *a, struct perf_data_waiting *b)
{
    struct perf_data_waiting const held = *a;
    *a = *b;
    *b = held;
}

int perf_order_put(struct perf_order *order, uint64_t time, const struct perf_record *record)
{
    struct perf_data_waiting waiting = {.time = time, .number = order->number++, .record = *record};
    waiting.bytes = malloc(record->size + 1);
    if (!waiting.bytes || !vec_push(&order->heap, waiting)) {
        free(waiting.bytes);
        return -ENOMEM;
    }
    memcpy(waiting.bytes, record->body, record->size);
    struct perf_data_waiting *heap = order->heap.items;
    size_t at = order->heap.count - 1;
    heap[at].record.body = waiting.bytes;
    for (; at > 0 && is_before(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
    order->bytes += record->size + ENTRY_BYTES;
    if (time > order->newest)
        order->newest = time;
    return 0;
}

void perf_order_end_round(struct perf_order *order)
{
    order->may_go = order->round_newest;
    order->round_newest = order->newest;
}

void perf_order_end(struct perf_order *order)
{
    order->may_go = UINT64_MAX;
}

static void remove_first(struct perf_order *order)
{
    struct perf_data_waiting *heap = order->heap.items;
    size_t const count = --order->heap.count;
    heap[0] = heap[count];
    for (size_t at = 0, least;; at = least) {
        least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (is_before(&heap[child], &heap[least]))
                least = child;
        if (least == at)
            return;
        swap(&heap[at], &heap[least]);
    }
}

bool perf_order_pop(struct perf_order *order, struct perf_data_waiting *waiting)
{
    size_t const most = order->bytes_max ? order->bytes_max : ORDER_BYTES_MAX;
    if (order->heap.count == 0 ||
        (order->heap.items[0].time > order->may_go && order->bytes <= most))
        return false;
    *waiting = order->heap.items[0];
    remove_first(order);
    order->bytes -= waiting->record.size + ENTRY_BYTES;
    if (waiting->time < order->last)
        order->late++;
    else
        order->last = waiting->time;
    return true;
}
