/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/inside_plan.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "procfs/memory/maps.h"

/* An allocator in this very program, which only its prefix tells. */
__attribute__((noinline)) void *odd_malloc(size_t size)
{
    static char heap[4096];
    static size_t used;
    used = (used + size) % sizeof(heap);
    return heap + used;
}

__attribute__((noinline)) void odd_free(void *block)
{
    memset(block, 0, 8);
    memset((char *)block + 8, 1, 8);
}

static struct inside_plan plan;
static struct inside_known known;
static struct inside_report report;

static const struct inside_patch *patch_of(const void *function)
{
    for (uint32_t i = 0; i < plan.patch_count; i++) {
        if (plan.patches[i].address == (uint64_t)function)
            return &plan.patches[i];
    }
    return NULL;
}

static void check_patch(const void *function, enum inside_call call)
{
    const struct inside_patch *patch = patch_of(function);
    CHECK(patch != NULL && patch->shape.call == call);
    CHECK(patch->stolen >= INSIDE_JUMP && memcmp(patch->before, function, patch->stolen) == 0);
    CHECK(patch->code_size > 0 && patch->code_size <= sizeof(patch->code));
    int64_t far = (int64_t)(patch->cell - patch->address);
    CHECK(far < INT32_MAX - 4096 && far > INT32_MIN + 4096);
    bool inside = false;
    for (uint32_t i = 0; i < plan.region_count; i++)
        inside |= patch->cell >= plan.regions[i].start &&
                  patch->cell + INSIDE_CELL <= plan.regions[i].start + plan.regions[i].bytes;
    CHECK(inside);
}

TEST(a_named_allocator_is_planned)
{
    odd_free(odd_malloc(16));
    assert_int_equal(inside_plan_make(&plan, (uint32_t)getpid(), "odd_", &known, &report), 0);
    CHECK(report.has_wanted && report.count >= 1);
    check_patch((const void *)odd_malloc, INSIDE_ALLOC);
    check_patch((const void *)odd_free, INSIDE_FREE);
}

/* Each region can be had where the plan says, and none twice. */
TEST(regions_are_free)
{
    assert_int_equal(inside_plan_make(&plan, (uint32_t)getpid(), "odd_", &known, &report), 0);
    CHECK(plan.region_count >= 1);
    void *mapped[INSIDE_REGIONS];
    for (uint32_t i = 0; i < plan.region_count; i++) {
        mapped[i] =
            mmap((void *)plan.regions[i].start, plan.regions[i].bytes, PROT_READ, /* NOLINT */
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        CHECK(mapped[i] == (void *)plan.regions[i].start);
    }
    /* Planned again, they are others. */
    uint64_t first = plan.regions[0].start;
    assert_int_equal(inside_plan_make(&plan, (uint32_t)getpid(), "odd_", &known, &report), 0);
    CHECK(plan.regions[0].start != first);
    for (uint32_t i = 0; i < plan.region_count; i++)
        munmap(mapped[i], plan.regions[i].bytes);
}

TEST(what_has_no_allocator_is_read_once)
{
    size_t files = known.files.count;
    CHECK(files > 0);
    assert_int_equal(inside_plan_make(&plan, (uint32_t)getpid(), "odd_", &known, &report), 0);
    assert_int_equal(known.files.count, files);
}

TEST(without_a_name_it_is_not_taken_for_one)
{
    struct inside_known other = {0};
    assert_int_equal(inside_plan_make(&plan, (uint32_t)getpid(), NULL, &other, &report), 0);
    CHECK(patch_of((const void *)odd_malloc) == NULL);
    inside_known_fini(&other);
}

/* Whatever a file does to whoever reads it, the recorder goes on and knows. */
TEST(files_are_read_by_another_process)
{
    struct inside_known none = {0};
    char *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(forbidden != MAP_FAILED);
    void (*const before)(int) = signal(SIGSEGV, SIG_DFL); /* cmocka would go on, in the child */
    assert_int_equal(inside_plan_make(&plan, (uint32_t)getpid(), forbidden, &none, &report),
                     -EPROTO);
    CHECK(none.files.count == 0 && report.count == 0);
    signal(SIGSEGV, before);
    munmap(forbidden, 4096);
    inside_known_fini(&none);
}

TEST(a_process_that_is_gone_has_no_plan)
{
    CHECK(inside_plan_make(&plan, 0x7ffffff0, NULL, &known, &report) < 0);
    CHECK(plan.patch_count == 0 && plan.region_count == 0 && report.count == 0);
    inside_known_fini(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_allocator_is_planned),
        cmocka_unit_test(regions_are_free),
        cmocka_unit_test(what_has_no_allocator_is_read_once),
        cmocka_unit_test(without_a_name_it_is_not_taken_for_one),
        cmocka_unit_test(files_are_read_by_another_process),
        cmocka_unit_test(a_process_that_is_gone_has_no_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
