/* SPDX-License-Identifier: Apache-2.0 */
#include "model/metric.h"

#include <string.h>

#include "check.h"

static void metrics_are_found_by_name_and_only_so(void **state)
{
    (void)state;
    const struct metric *live = metric_find("heap.live");
    CHECK(live && live->kind == METRIC_LEVEL && live->plus == COL_HEAP_BYTES &&
          live->minus == COL_HEAP_FREED);
    CHECK(metric_find("heap.peak")->kind == METRIC_PINNED);
    CHECK(metric_find("heap.calls")->plus == COL_HEAP_CALLS);
    CHECK(metric_find("heap.") == NULL && metric_find("") == NULL);
}

static void every_metric_obeys_the_rules_of_its_kind(void **state)
{
    (void)state;
    for (const struct metric *metric = metrics; metric->name; metric++) {
        CHECK(metric_find(metric->name) == metric); /* no name twice */
        CHECK(metric->plus != COL_NONE && metric->unit && metric->help);
        CHECK((metric->kind == METRIC_COUNTER) == (metric->minus == COL_NONE));
    }
}

static void sizes_and_lifetimes_fall_into_their_classes(void **state)
{
    (void)state;
    CHECK(size_class(0) == 0 && size_class(1) == 1 && size_class(2) == 2 && size_class(3) == 2);
    CHECK(size_class(4096) == 13 && size_class(4095) == 12);
    CHECK(size_class(UINT64_MAX) == SIZE_CLASSES - 1);
    CHECK(lifetime_class(0) == 0 && lifetime_class(999) == 0 && lifetime_class(1000) == 1);
    CHECK(lifetime_class(UINT64_MAX) == LIFETIME_CLASSES - 1);
    for (unsigned k = 0; k + 1 < LIFETIME_CLASSES; k++) {
        CHECK(lifetime_bounds_ns[k] < lifetime_bounds_ns[k + 1]);
        CHECK(lifetime_class(lifetime_bounds_ns[k] - 1) == k);
        CHECK(lifetime_class(lifetime_bounds_ns[k]) == k + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_found_by_name_and_only_so),
        cmocka_unit_test(every_metric_obeys_the_rules_of_its_kind),
        cmocka_unit_test(sizes_and_lifetimes_fall_into_their_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
