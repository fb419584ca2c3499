/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks/stack_intern.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "made_stack.h"

static struct code_store *store;
static struct process_code *code;
static struct recording *recording;
static struct stack_intern *intern;
static struct stack_walk walk;

__attribute__((noinline, noclone)) static int here(int x)
{
    return x * 3;
}

static int open_all(void **state)
{
    (void)state;
    store = code_store_create((size_t)64 << 20);
    recording = recording_create();
    intern = stack_intern_create(recording);
    return process_code_open(store, (uint32_t)getpid(), &code);
}

static int close_all(void **state)
{
    (void)state;
    stack_intern_destroy(intern);
    recording_destroy(recording);
    process_code_close(code);
    code_store_destroy(store);
    return 0;
}

static struct interned_stack put(void)
{
    struct interned_stack interned;
    CHECK(stack_intern_put(intern, code, &walk, &interned) == 0);
    return interned;
}

static void frames_are(const uint64_t *frames, uint32_t count)
{
    walk.frame_count = count;
    memcpy(walk.frames, frames, count * sizeof(frames[0]));
}

static uint32_t depth_of(stack_id stack)
{
    uint32_t depth = 0;
    for (; stack != STACK_EMPTY; stack = stack_table_innermost(recording->stacks, stack).caller)
        depth++;
    return depth;
}

static uint64_t address_of(struct stack_link link)
{
    const struct frame *frame = &recording->frames.items[link.frame];
    return frame->address + recording->modules.items[frame->module].bias;
}

TEST(frames_have_modules_and_addresses_of_their_files)
{
    uint64_t const frames[] = {(uint64_t)(uintptr_t)here,
                               (uint64_t)(uintptr_t)dlsym(NULL, "gnu_get_libc_version")};
    frames_are(frames, 2);
    struct interned_stack const first = put();
    assert_int_equal(depth_of(first.stack), 2);
    assert_int_equal(recording->modules.count, 2);
    struct stack_link link = stack_table_innermost(recording->stacks, first.stack);
    const struct frame *frame = &recording->frames.items[link.frame];
    const struct module *module = &recording->modules.items[frame->module];
    char path[4096] = "";
    CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
    assert_string_equal(recording_text(recording, module->path), path);
    CHECK(frame->address == frames[0] - module->bias);
    CHECK(module->start <= frames[0] && module->end > frames[0]);
    link = stack_table_innermost(recording->stacks, link.caller);
    module = &recording->modules.items[recording->frames.items[link.frame].module];
    CHECK(strstr(recording_text(recording, module->path), "libc.so") != NULL);
    assert_int_equal(strlen(recording_text(recording, module->build_id)), 40);

    /* The same again is the same, also when it is not remembered by its addresses. */
    assert_int_equal(put().stack, first.stack);
    CHECK(process_code_refresh(code) == 0 && !process_code_was_replaced(code));
    assert_int_equal(put().stack, first.stack);
    assert_int_equal(recording->modules.count, 2);
    assert_int_equal(recording->frames.count, 2);
}

TEST(what_the_recording_has_already_is_used)
{
    struct recording *other = recording_create();
    uint64_t const frames[] = {(uint64_t)(uintptr_t)here};
    struct interned_stack interned;
    frames_are(frames, 1);
    struct stack_link const link = stack_table_innermost(recording->stacks, put().stack);
    struct module module = recording->modules.items[recording->frames.items[link.frame].module];
    module.path = recording_intern(other, recording_text(recording, module.path));
    module.build_id = recording_intern(other, recording_text(recording, module.build_id));
    CHECK(vec_push(&other->modules, module));
    CHECK(vec_push(&other->frames, (struct frame){.address = frames[0] - module.bias}));
    struct stack_intern *into = stack_intern_create(other);
    CHECK(stack_intern_put(into, code, &walk, &interned) == 0);
    assert_int_equal(other->modules.count, 1);
    assert_int_equal(other->frames.count, 1);
    stack_intern_destroy(into);
    recording_destroy(other);
}

TEST(deep_recursion_is_folded_and_keeps_both_ends)
{
    uint64_t const a = (uint64_t)(uintptr_t)here, b = a + 1, last = a + 2, first = a + 3;
    walk.frame_count = 1000;
    for (unsigned i = 0; i < 1000; i++)
        walk.frames[i] = i % 2 ? a : b;
    walk.frames[0] = last;
    walk.frames[999] = first;
    struct interned_stack const interned = put();
    CHECK(interned.folded);
    /* One more than 192 ends a second round of the cycle: both its frames go, and so on.  The
     * innermost comes last. */
    assert_int_equal(depth_of(interned.stack), 192);
    stack_id stack = interned.stack;
    struct stack_link link = stack_table_innermost(recording->stacks, stack);
    CHECK(address_of(link) == last);
    while (link.caller != STACK_EMPTY)
        link = stack_table_innermost(recording->stacks, link.caller);
    CHECK(address_of(link) == first);
    CHECK(put().folded);
}

TEST(recursion_of_many_different_functions_is_kept)
{
    walk.frame_count = 400;
    for (unsigned i = 0; i < 400; i++)
        walk.frames[i] = (uint64_t)(uintptr_t)here + i % 100;
    struct interned_stack const interned = put();
    CHECK(!interned.folded);
    assert_int_equal(depth_of(interned.stack), 400);
}

TEST(made_code_has_one_name_and_unknown_addresses_none)
{
    void *room = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(process_code_refresh(code) == 0);
    uint64_t const frames[] = {(uint64_t)(uintptr_t)room + 5, (uint64_t)(uintptr_t)room + 99,
                               0x123};
    frames_are(frames, 3);
    stack_id const stack = put().stack;
    assert_int_equal(depth_of(stack), 3);
    struct stack_link const link = stack_table_innermost(recording->stacks, stack);
    struct stack_link const next = stack_table_innermost(recording->stacks, link.caller);
    assert_int_equal(link.frame, next.frame);
    const struct frame *frame = &recording->frames.items[link.frame];
    assert_int_equal(frame->location_count, 1);
    assert_string_equal(
        recording_text(recording, recording->locations.items[frame->first_location].function),
        "[jit]");
    struct stack_link const outermost = stack_table_innermost(recording->stacks, next.caller);
    CHECK(recording->frames.items[outermost.frame].module == MODULE_NONE &&
          recording->frames.items[outermost.frame].address == 0x123);
    munmap(room, 4096);
}

TEST(made_code_that_its_runtime_lists_has_addresses)
{
    char path[64], seen[80];
    snprintf(path, sizeof(path), "/tmp/perf-%u.map", (unsigned)getpid());
    snprintf(seen, sizeof(seen), "/proc/%u/root%s", (unsigned)getpid(), path);
    FILE *file = fopen(path, "w");
    CHECK(file);
    fclose(file);
    char *room = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct process_code *fresh;
    CHECK(process_code_open(store, (uint32_t)getpid(), &fresh) == 0);
    uint64_t const frames[] = {(uint64_t)(uintptr_t)room + 5, (uint64_t)(uintptr_t)room + 99};
    struct interned_stack interned;
    frames_are(frames, 2);
    CHECK(stack_intern_put(intern, fresh, &walk, &interned) == 0);
    struct stack_link const link = stack_table_innermost(recording->stacks, interned.stack);
    const struct frame *frame = &recording->frames.items[link.frame];
    assert_int_equal(frame->address, frames[0]);
    assert_string_equal(recording_text(recording, recording->modules.items[frame->module].path),
                        seen);
    process_code_close(fresh);
    munmap(room, 4096);
    unlink(path);
}

static const char *outermost_name(stack_id stack)
{
    struct stack_link link = stack_table_innermost(recording->stacks, stack);
    while (link.caller != STACK_EMPTY)
        link = stack_table_innermost(recording->stacks, link.caller);
    const struct frame *frame = &recording->frames.items[link.frame];
    return frame->location_count
               ? recording_text(recording,
                                recording->locations.items[frame->first_location].function)
               : "";
}

/* However a walk failed, what it found does not look as if nobody had called it. */
TEST(what_was_cut_off_hangs_under_one_frame)
{
    uint64_t const frames[] = {(uint64_t)(uintptr_t)here};
    static const enum stack_end ends[] = {STACK_END_CUT, STACK_END_NO_RULE, STACK_END_BAD_FRAME};
    frames_are(frames, 1);
    walk.end = STACK_END_COMPLETE;
    struct interned_stack const whole = put();
    assert_int_equal(depth_of(whole.stack), 1);
    stack_id cut = STACK_EMPTY;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        walk.end = ends[i];
        struct interned_stack const put_now = put();
        assert_int_equal(depth_of(put_now.stack), 2);
        assert_string_equal(outermost_name(put_now.stack), "[stack cut here]");
        CHECK(cut == STACK_EMPTY || cut == put_now.stack);
        cut = put_now.stack;
    }
    walk.end = STACK_END_TOO_DEEP; /* its outermost frames are there */
    CHECK(put().stack == whole.stack);
    walk.end = STACK_END_COMPLETE;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_have_modules_and_addresses_of_their_files),
        cmocka_unit_test(what_the_recording_has_already_is_used),
        cmocka_unit_test(deep_recursion_is_folded_and_keeps_both_ends),
        cmocka_unit_test(recursion_of_many_different_functions_is_kept),
        cmocka_unit_test(made_code_has_one_name_and_unknown_addresses_none),
        cmocka_unit_test(made_code_that_its_runtime_lists_has_addresses),
        cmocka_unit_test(what_was_cut_off_hangs_under_one_frame),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
