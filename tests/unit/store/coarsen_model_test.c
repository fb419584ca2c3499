/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets that are merged again and again against the ones they were made of, with gaps, pins
 * and marks anywhere. */
#include "store/write/coarsen.h"

#include <string.h>

#include "check.h"
#include "random.h"

#define BUCKETS 600u
#define SEC     UINT64_C(1000000000)

struct model {
    struct bucket made[BUCKETS]; /* as they came */
    struct bucket now[BUCKETS];  /* as they are */
    size_t first[BUCKETS + 1];   /* of `made`, for each of `now` */
    size_t count;
};

static int64_t draw_gauge(struct random *random)
{
    return random_below(random, 5) ? (int64_t)random_below(random, 1000) : -1;
}

static void make(struct model *model, struct random *random, struct recording *recording)
{
    uint64_t now = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        if (random_below(random, 40) == 0)
            now += random_below(random, 100) * SEC; /* a gap */
        uint64_t const begin = now;
        now += 1 + (random_next(random) % (20 * SEC) >> random_below(random, 12));
        model->made[i] = (struct bucket){.begin_ns = begin,
                                         .end_ns = now,
                                         .gauges = {draw_gauge(random), draw_gauge(random),
                                                    draw_gauge(random), draw_gauge(random)},
                                         .pss_bytes = (int64_t)random_below(random, 3) * 100,
                                         .lost_events = random_below(random, 9)};
        if (random_below(random, 30) == 0)
            CHECK(vec_push(&recording->pins, (struct pin){.kind = PIN_MARK, .time_ns = begin}));
        if (random_below(random, 10) == 0)
            CHECK(marks_add(&recording->marks, MARK_INSTANT, STRING_EMPTY, begin) == 0);
        model->first[i] = i;
    }
    memcpy(model->now, model->made, sizeof(model->now));
    model->count = model->first[BUCKETS] = BUCKETS;
}

/* What one bucket says is what those say that it was made of. */
static void check_bucket(const struct bucket *now, const struct bucket *from,
                         const struct bucket *end)
{
    struct bucket all = {.gauges = {-1, -1, -1, -1}};
    int64_t rss_max = -1, pss_max = 0;
    for (const struct bucket *one = from; one < end; one++) {
        const struct gauges *gauges = &one->gauges;
        if (gauges->rss_bytes >= 0)
            all.gauges.rss_bytes = gauges->rss_bytes;
        if (gauges->heap_live_end >= 0)
            all.gauges.heap_live_end = gauges->heap_live_end;
        if (gauges->heap_live_max > all.gauges.heap_live_max)
            all.gauges.heap_live_max = gauges->heap_live_max;
        if (gauges->heap_live_min >= 0 &&
            (all.gauges.heap_live_min < 0 || gauges->heap_live_min < all.gauges.heap_live_min))
            all.gauges.heap_live_min = gauges->heap_live_min;
        all.lost_events += one->lost_events;
        rss_max = gauges->rss_bytes > rss_max ? gauges->rss_bytes : rss_max;
        pss_max = one->pss_bytes > pss_max ? one->pss_bytes : pss_max;
        CHECK(one == from || one->begin_ns == one[-1].end_ns); /* gaps stay */
    }
    CHECK(now->begin_ns == from->begin_ns && now->end_ns == end[-1].end_ns);
    assert_memory_equal(&now->gauges, &all.gauges, sizeof(all.gauges));
    CHECK(now->lost_events == all.lost_events);
    CHECK((now->rss_max > 0 ? now->rss_max : now->gauges.rss_bytes) == rss_max);
    CHECK((now->pss_max > 0 ? now->pss_max : now->pss_bytes) == pss_max);
}

static void check(const struct model *model, const struct recording *recording)
{
    for (size_t i = 0; i < model->count; i++)
        check_bucket(&model->now[i], model->made + model->first[i],
                     model->made + model->first[i + 1]);
    for (size_t i = 0; i < BUCKETS; i++) {
        bool begins = false;
        for (size_t j = 0; j < model->count; j++)
            begins |= model->first[j] == i;
        CHECK(begins || !coarsen_is_pinned(recording, model->made[i].begin_ns));
    }
}

/* As a file that is written anew: what is a group becomes one. */
static void merge(struct model *model, const struct recording *recording, unsigned step)
{
    struct bucket before[BUCKETS];
    size_t first[BUCKETS + 1], count = 0;
    struct coarsen_plan const plan = {before, model->count, recording, step, true};
    memcpy(before, model->now, sizeof(before));
    memcpy(first, model->first, sizeof(first));
    uint64_t const newest_ns = before[plan.count - 1].end_ns;
    size_t const groups = coarsen_group_count(&plan);
    for (size_t i = 0; i < plan.count;) {
        size_t const end = coarsen_group_end(&plan, i);
        CHECK(end > i && end <= plan.count);
        model->first[count] = first[i];
        model->now[count] = before[i];
        for (size_t j = i + 1; j < end; j++) {
            CHECK(coarsen_width(newest_ns - before[j].end_ns, step) > 0); /* old enough */
            coarsen_absorb(&model->now[count], &before[j]);
        }
        count++;
        i = end;
    }
    CHECK(count == groups && count <= plan.count);
    model->count = count;
    model->first[count] = BUCKETS;
}

TEST(merged_buckets_say_what_they_were_made_of)
{
    struct random random = random_from(1);
    static struct model model;
    for (int run = 0; run < 8; run++) {
        struct recording *recording = recording_create();
        CHECK(recording);
        make(&model, &random, recording);
        for (unsigned step = 0; step < COARSEN_STEPS; step += 1 + random_below(&random, 4)) {
            merge(&model, recording, step);
            check(&model, recording);
        }
        recording_destroy(recording);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(merged_buckets_say_what_they_were_made_of)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
