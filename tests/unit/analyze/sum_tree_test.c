/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever is asked of a recording with sums gives exactly what it gives without. */
#include "analyze/sums/sum_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sums/bucket_walk.h"
#include "analyze/sums/histogram.h"
#include "base/hash.h"
#include "check.h"
#include "random.h"
#include "store/read/recording_follow.h"
#include "store/write/recording_writer.h"
#include "store/sample.h"

#define SECOND  UINT64_C(1000000000)
#define STACKS  50u
#define THREADS 5u

static const struct sum_limits all_of_it = {SIZE_MAX, 0, 4};
static uint64_t drawn;

static uint64_t draw(uint64_t below)
{
    return hash_mix(++drawn) % below;
}

static int64_t draw_value(void)
{
    uint64_t const all = hash_mix(++drawn);
    return (int64_t)(all % 50 ? all % 100000 : all); /* some wrap when they are added up */
}

static struct cell draw_cell(uint32_t keys)
{
    static const uint16_t columns[] = {COL_HEAP_CALLS, COL_HEAP_BYTES,     COL_HEAP_FREES,
                                       COL_HEAP_FREED, COL_HEAP_SLACK,     COL_SIZE_0 + 5,
                                       COL_SIZE_0,     COL_LIFETIME_0 + 2, COL_OFFCPU_NS,
                                       COL_CPU_NS,     COLUMN_LIMIT + 7};
    return (struct cell){(uint32_t)draw(keys), columns[draw(11)], draw_value()};
}

/* Cells in no order and some of them twice; of keys that there are not; moments in some. */
static void add_bucket(struct recording *recording)
{
    struct bucket bucket = {.begin_ns = recording->duration_ns,
                            .end_ns = recording->duration_ns + SECOND / 2 + draw(SECOND),
                            .gauges = {-1, -1, -1, -1},
                            .cell_count = draw(40),
                            .thread_cell_count = draw(10),
                            .moment_count = draw(3) ? 0 : draw(20)};
    bucket.cells = calloc(bucket.cell_count + 1, sizeof(struct cell));
    bucket.thread_cells = calloc(bucket.thread_cell_count + 1, sizeof(struct cell));
    bucket.moments = calloc(bucket.moment_count + 1, sizeof(struct moment));
    for (size_t i = 0; i < bucket.cell_count; i++)
        bucket.cells[i] = draw_cell(STACKS + 10);
    for (size_t i = 0; i < bucket.thread_cell_count; i++)
        bucket.thread_cells[i] = draw_cell(THREADS + 2);
    for (size_t i = 0; i < bucket.moment_count; i++)
        bucket.moments[i] = (struct moment){.after_ns = draw(SECOND / 2),
                                            .thread = (uint32_t)draw(THREADS),
                                            .stack = (stack_id)draw(STACKS),
                                            .count = 1,
                                            .column = COL_CPU_NS,
                                            .value = 1 + (int64_t)draw(1000)};
    recording->duration_ns = bucket.end_ns;
    CHECK(vec_push(&recording->buckets, bucket));
}

static struct recording *make(size_t buckets)
{
    struct recording *recording = recording_create();
    for (uint32_t i = 0; i < STACKS; i++) {
        stack_id stack;
        CHECK(stack_table_push(recording->stacks, STACK_EMPTY, i, &stack) == 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(vec_push(&recording->threads, (struct thread){.tid = 100 + i, .merged = 1}));
    for (size_t i = 0; i < buckets; i++)
        add_bucket(recording);
    return recording;
}

static struct time_range draw_range(const struct recording *recording)
{
    const struct bucket *buckets = recording->buckets.items;
    size_t const count = recording->buckets.count;
    uint64_t const a = draw(recording->duration_ns + 1), b = draw(recording->duration_ns + 1);
    struct time_range range = {a < b ? a : b, a < b ? b : a};
    if (draw(2)) { /* as people brush: from border to border */
        size_t const first = draw(count);
        range = (struct time_range){buckets[first].begin_ns,
                                    buckets[first + draw(count - first)].end_ns};
    }
    if (draw(8) == 0)
        range.from_ns = 0;
    if (draw(8) == 0)
        range.to_ns = UINT64_MAX;
    return range;
}

struct answer {
    int err;
    struct fault fault;
    struct weights weights;
    struct histogram histogram;
    struct time_range range;
};

enum question { BY_STACK, BY_THREAD, SIZES, QUESTIONS };

static struct answer ask(struct recording *recording, enum question question, const char *metric,
                         struct time_range range)
{
    struct answer answer = {.range = range};
    if (question == SIZES)
        answer.err =
            histogram_add(recording, &answer.range,
                          (struct histogram_sites){.sites = &answer.histogram}, &answer.fault);
    else
        answer.err = (question == BY_STACK ? weigh_stacks : weigh_threads)(
            recording, metric_find(metric), range, &answer.weights, &answer.fault);
    return answer;
}

static void check_same(const struct answer *a, const struct answer *b)
{
    const struct weights *left = &a->weights, *right = &b->weights;
    CHECK(a->err == b->err);
    assert_string_equal(a->fault.text, b->fault.text);
    if (a->err)
        return;
    assert_memory_equal(&a->histogram, &b->histogram, sizeof(a->histogram));
    assert_memory_equal(&a->range, &b->range, sizeof(a->range));
    assert_memory_equal(&left->used, &right->used, sizeof(left->used));
    CHECK(left->total_value == right->total_value && left->total_count == right->total_count);
    CHECK(left->rows.count == right->rows.count);
    for (size_t i = 0; i < left->rows.count; i++) {
        CHECK(left->rows.items[i].key == right->rows.items[i].key);
        CHECK(left->rows.items[i].value == right->rows.items[i].value);
        CHECK(left->rows.items[i].count == right->rows.items[i].count);
    }
}

/* With sums and without. */
static void check_ranges(struct recording *recording, unsigned rounds)
{
    static const char *const names[] = {"heap.live", "heap.allocated", "heap.slack", "cpu.on",
                                        "cpu.off"};
    struct sum_tree *tree = sum_tree_of(recording);
    for (unsigned i = 0; i < rounds; i++) {
        const char *metric = names[draw(5)];
        enum question const question = (enum question)draw(QUESTIONS);
        struct time_range const range = draw_range(recording);
        struct answer summed = ask(recording, question, metric, range);
        recording->caches[CACHE_SUM_TREE].data = NULL;
        struct answer plain = ask(recording, question, metric, range);
        recording->caches[CACHE_SUM_TREE].data = tree;
        check_same(&summed, &plain);
        weights_fini(&summed.weights);
        weights_fini(&plain.weights);
    }
}

static void count_visit(void *into, const struct bucket *bucket)
{
    (void)bucket;
    ++*(size_t *)into;
}

static size_t visits_of(struct recording *recording, struct time_range range)
{
    bool const added[COLUMN_LIMIT] = {[COL_HEAP_BYTES] = true};
    size_t visits = 0;
    CHECK(bucket_walk_sums(recording, &range, (struct bucket_visitor){count_visit, &visits}, added,
                           NULL) == 0);
    return visits;
}

TEST(any_range_gives_what_its_buckets_give)
{
    struct recording *recording = make(333);
    CHECK(!sum_tree_advance(recording, &all_of_it, UINT64_MAX / 2));
    CHECK(visits_of(recording, TIME_ALL) == 1 + 1 + 3 + 1); /* 256 + 64 + 3 * 4 + 1 */
    CHECK(sum_tree_bytes(sum_tree_of(recording)) > 0);
    check_ranges(recording, 1000);
    recording_destroy(recording);
}

TEST(sums_grow_a_little_at_a_time_behind_the_recording)
{
    struct recording *recording = make(20);
    for (unsigned round = 0; round < 60; round++) {
        sum_tree_advance(recording, &all_of_it, 0); /* one bucket */
        check_ranges(recording, 20);
        if (round % 3 == 0)
            add_bucket(recording);
    }
    CHECK(recording->buckets.count == 40 && !sum_tree_advance(recording, &all_of_it, 0));
    CHECK(visits_of(recording, TIME_ALL) == 2 + 2); /* 2 * 16 + 2 * 4 */
    recording_destroy(recording);
}

TEST(little_memory_makes_long_leaves)
{
    struct recording *recording = make(600);
    struct sum_limits limits = all_of_it;
    sum_tree_advance(recording, &limits, UINT64_MAX / 2);
    size_t const before = sum_tree_bytes(sum_tree_of(recording));
    CHECK(sum_tree_stretch(sum_tree_of(recording)) == 4);
    for (limits.bytes_most = before / 2; limits.bytes_most > 0; limits.bytes_most /= 4) {
        CHECK(!sum_tree_advance(recording, &limits, UINT64_MAX / 2));
        CHECK(sum_tree_bytes(sum_tree_of(recording)) <= limits.bytes_most);
        check_ranges(recording, 50);
    }
    CHECK(sum_tree_stretch(sum_tree_of(recording)) > 600);
    recording_destroy(recording);

    recording = make(600);
    limits.bytes_most = before / 2;
    CHECK(!sum_tree_advance(recording, &limits, UINT64_MAX / 2));
    CHECK(sum_tree_stretch(sum_tree_of(recording)) > 4 &&
          sum_tree_bytes(sum_tree_of(recording)) <= before / 2);
    CHECK(visits_of(recording, TIME_ALL) < 100);
    check_ranges(recording, 300);
    recording_destroy(recording);
}

TEST(small_recordings_have_none)
{
    struct recording *recording = make(100);
    struct sum_limits limits = {SIZE_MAX, 0, 4}; /* half as much again as these have */
    vec_each (bucket, &recording->buckets)
        limits.cells_least += (bucket->cell_count + bucket->thread_cell_count) * 3 / 2;
    CHECK(!sum_tree_advance(recording, &limits, UINT64_MAX / 2));
    CHECK(!sum_tree_is_large(sum_tree_of(recording)) && visits_of(recording, TIME_ALL) == 100);
    while (recording->buckets.count < 200)
        add_bucket(recording);
    CHECK(!sum_tree_advance(recording, &limits, UINT64_MAX / 2));
    CHECK(sum_tree_is_large(sum_tree_of(recording)) &&
          visits_of(recording, TIME_ALL) == 3 + 2); /* 3 * 64 + 2 * 4 */
    CHECK(!sum_tree_is_large(NULL));
    recording_destroy(recording);
}

struct running {
    uint64_t end_ns, sums[STACKS + 10];
    size_t visits;
};

static void add_up(void *into, const struct bucket *bucket)
{
    struct running *running = into;
    CHECK(bucket->begin_ns == running->end_ns);
    running->end_ns = bucket->end_ns;
    running->visits++;
    for (size_t i = 0; i < bucket->cell_count; i++)
        if (bucket->cells[i].column == COL_HEAP_BYTES)
            running->sums[bucket->cells[i].key] += (uint64_t)bucket->cells[i].value;
}

struct drawn {
    struct running running, plain;
    const struct recording *recording;
    uint64_t from_ns;
    size_t at, stretches;
};

/* At the end of each stretch the sums are those of all buckets up to there. */
static void compare_sums(void *into, const struct bucket *bucket)
{
    struct drawn *sofar = into;
    const struct bucket *buckets = sofar->recording->buckets.items;
    add_up(&sofar->running, bucket);
    while (sofar->plain.end_ns < bucket->end_ns)
        add_up(&sofar->plain, &buckets[sofar->at++]);
    sofar->stretches += bucket->end_ns > sofar->from_ns;
    CHECK(bucket->begin_ns >= sofar->from_ns || bucket->end_ns <= sofar->from_ns ||
          bucket == &buckets[sofar->at - 1]); /* none reaches over the beginning */
    assert_memory_equal(sofar->running.sums, sofar->plain.sums, sizeof(sofar->plain.sums));
}

static size_t draw_from(struct recording *recording, uint64_t from_ns)
{
    static const bool added[COLUMN_LIMIT] = {[COL_HEAP_BYTES] = true};
    struct drawn sofar = {.recording = recording, .from_ns = from_ns};
    struct time_range all = TIME_ALL;
    CHECK(bucket_walk_drawn(recording, &all, (struct bucket_visitor){compare_sums, &sofar},
                            (struct drawn_columns){from_ns, added}, NULL) == 0);
    CHECK(sofar.at == recording->buckets.count && all.to_ns == recording->duration_ns);
    return sofar.stretches;
}

TEST(all_of_the_time_is_drawn_in_some_hundred_stretches)
{
    struct recording *recording = make(1500);
    const struct bucket *buckets = recording->buckets.items;
    CHECK(draw_from(recording, 0) == 1500);
    CHECK(!sum_tree_advance(recording, &all_of_it, UINT64_MAX / 2));
    CHECK(draw_from(recording, 0) == 375); /* of 4 */
    CHECK(draw_from(recording, buckets[400].begin_ns) == 275);
    CHECK(draw_from(recording, buckets[401].begin_ns + 1) == 3 + 274);
    CHECK(draw_from(recording, buckets[1400].begin_ns) == 100); /* too few would be seen */
    struct sum_limits limits = all_of_it;
    for (limits.bytes_most = sum_tree_bytes(sum_tree_of(recording)); limits.bytes_most > 0;
         limits.bytes_most /= 3) {
        CHECK(!sum_tree_advance(recording, &limits, UINT64_MAX / 2));
        CHECK(sum_tree_bytes(sum_tree_of(recording)) <= limits.bytes_most);
        draw_from(recording, 0);
        for (unsigned i = 0; i < 7; i++)
            add_bucket(recording);
    }
    recording_destroy(recording);
}

static void add_totals(void *into, const struct bucket *bucket)
{
    struct running *running = into;
    running->end_ns = bucket->end_ns;
    running->visits++;
    for (size_t i = 0; i < bucket->cell_count; i++)
        if (bucket->cells[i].column == COL_HEAP_FREED)
            running->sums[running->visits % STACKS] += (uint64_t)bucket->cells[i].value;
}

TEST(totals_of_buckets_are_those_of_their_cells)
{
    struct recording *recording = make(150);
    struct running plain = {.visits = 0}, known = {.visits = 0};
    struct time_range all = TIME_ALL, again = TIME_ALL;
    CHECK(bucket_walk(recording, &all, (struct bucket_visitor){add_totals, &plain}, NULL) == 0);
    CHECK(!sum_tree_advance(recording, &all_of_it, UINT64_MAX / 2));
    CHECK(bucket_walk_totals(recording, &again, (struct bucket_visitor){add_totals, &known},
                             NULL) == 0);
    assert_memory_equal(&plain, &known, sizeof(plain));
    struct cell_list totals = {0};
    CHECK(sum_tree_totals(sum_tree_of(recording), 149, &totals) && totals.count < 12);
    vec_each (cell, &totals)
        CHECK(cell->key == STACK_EMPTY);
    CHECK(!sum_tree_totals(sum_tree_of(recording), 150, &totals));
    vec_free(&totals);
    recording_destroy(recording);
}

/* A recording whose cells are elsewhere, as in a file; the bucket at `damaged` cannot be read. */
static struct recording *far;
static size_t damaged;

static void *copy(const void *items, size_t size)
{
    void *copied = malloc(size + 1);
    CHECK(copied);
    return memcpy(copied, items, size);
}

static int load_far(struct recording *recording, struct bucket *bucket, struct fault *fault)
{
    size_t const at = (size_t)(bucket - recording->buckets.items);
    if (at == damaged)
        return fault_set(fault, -EINVAL, "damaged");
    uint64_t const offset = bucket->file_offset;
    *bucket = far->buckets.items[at];
    bucket->cells = copy(bucket->cells, bucket->cell_count * sizeof(struct cell));
    bucket->thread_cells =
        copy(bucket->thread_cells, bucket->thread_cell_count * sizeof(struct cell));
    bucket->moments = copy(bucket->moments, bucket->moment_count * sizeof(struct moment));
    bucket->file_offset = offset;
    return 0;
}

TEST(a_damaged_bucket_is_told_as_without)
{
    struct recording *recording = make(0);
    far = make(333);
    damaged = 100;
    recording->duration_ns = far->duration_ns;
    recording->load_bucket = load_far;
    vec_each (bucket, &far->buckets)
        CHECK(vec_push(&recording->buckets, (struct bucket){.begin_ns = bucket->begin_ns,
                                                            .end_ns = bucket->end_ns,
                                                            .file_offset = 64}));
    CHECK(!sum_tree_advance(recording, &all_of_it, UINT64_MAX / 2));
    CHECK(recording->loaded_cells == 0);
    struct weights weights;
    struct fault fault;
    CHECK(weigh_stacks(recording, metric_find("heap.live"), TIME_ALL, &weights, &fault) == -EINVAL);
    CHECK(visits_of(recording, (struct time_range){far->buckets.items[128].begin_ns, UINT64_MAX}) ==
          3 + 3 + 1);
    check_ranges(recording, 500);
    struct cell_list totals = {0};
    CHECK(!sum_tree_totals(sum_tree_of(recording), 100, &totals));
    CHECK(sum_tree_totals(sum_tree_of(recording), 101, &totals));
    vec_free(&totals);
    CHECK(recording->loaded_cells > 0);
    vec_each (bucket, &recording->buckets)
        recording_unload_bucket(recording, bucket);
    CHECK(recording->loaded_cells == 0);
    recording_destroy(recording);
    recording_destroy(far);
}

/* Stretches that become longer keep their holes: the one that goes on with the next buckets,
 * too. */
TEST(a_damaged_bucket_is_not_drawn_over)
{
    static const bool added[COLUMN_LIMIT] = {[COL_HEAP_BYTES] = true};
    struct recording *recording = make(0);
    struct sum_limits limits = all_of_it;
    struct time_range all = TIME_ALL;
    size_t visits = 0, stretch = 0;
    far = make(340);
    damaged = 332;
    recording->load_bucket = load_far;
    for (size_t i = 0; i < 340; i++) {
        if (i ==
            333) { /* an odd number of stretches, the last with a hole; until they are of two */
            CHECK(!sum_tree_advance(recording, &limits, UINT64_MAX / 2));
            size_t const bytes = sum_tree_bytes(sum_tree_of(recording));
            for (limits.bytes_most = bytes; stretch < 2; limits.bytes_most -= bytes / 50) {
                CHECK(!sum_tree_advance(recording, &limits, UINT64_MAX / 2));
                CHECK(sum_tree_stretch_at(sum_tree_of(recording), 0, 333, &stretch));
            }
            limits = all_of_it;
        }
        const struct bucket *bucket = &far->buckets.items[i];
        recording->duration_ns = bucket->end_ns;
        CHECK(vec_push(&recording->buckets, (struct bucket){.begin_ns = bucket->begin_ns,
                                                            .end_ns = bucket->end_ns,
                                                            .file_offset = 64}));
    }
    CHECK(!sum_tree_advance(recording, &limits, UINT64_MAX / 2));
    CHECK(sum_tree_can_draw(sum_tree_of(recording), 0, 340));
    CHECK(bucket_walk_drawn(recording, &all, (struct bucket_visitor){count_visit, &visits},
                            (struct drawn_columns){0, added}, NULL) == -EINVAL);
    CHECK(visits < 200); /* stretches of two */
    recording_destroy(recording);
    recording_destroy(far);
}

/* The store merges older buckets of a file that must not grow, while somebody follows it. */
TEST(a_coarser_copy_begins_without)
{
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 64 << 10, NULL);
    unsigned replaced = 0;
    sample_add_tables(recording, 0);
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    struct recording_follower *follower = recording_follow(path, NULL);
    for (unsigned i = 0; i < 700; i++) {
        sample_add_bucket(recording, SAMPLE_SECOND, 40, i);
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
        int const news = recording_follower_refresh(follower, NULL);
        struct recording *followed = recording_followed(follower);
        if (news == FOLLOW_REPLACED)
            CHECK(++replaced && !sum_tree_of(followed));
        CHECK(!sum_tree_advance(followed, &all_of_it, UINT64_MAX / 2));
        if (i % 20 == 0 || news == FOLLOW_REPLACED)
            check_ranges(followed, 10);
    }
    CHECK(replaced > 0);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    recording_follower_close(follower);
    recording_destroy(recording);
    sample_forget_path(path);
}

int main(void)
{
    drawn = random_seed() << 32;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_range_gives_what_its_buckets_give),
        cmocka_unit_test(sums_grow_a_little_at_a_time_behind_the_recording),
        cmocka_unit_test(little_memory_makes_long_leaves),
        cmocka_unit_test(small_recordings_have_none),
        cmocka_unit_test(all_of_the_time_is_drawn_in_some_hundred_stretches),
        cmocka_unit_test(totals_of_buckets_are_those_of_their_cells),
        cmocka_unit_test(a_damaged_bucket_is_told_as_without),
        cmocka_unit_test(a_damaged_bucket_is_not_drawn_over),
        cmocka_unit_test(a_coarser_copy_begins_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
