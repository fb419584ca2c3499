/* SPDX-License-Identifier: Apache-2.0 */
/* walk_test.c - stacks made by hand: how walks end, and what they say they rest on. */
#include "stacks/stack_walk.h"

#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "made_stack.h"

static struct code_store *store;
static struct process_code *code;
static struct made_stack made;
static struct stack_walk walk;

__attribute__((noinline, noclone)) static int inner(int x)
{
    return x * 3;
}

__attribute__((noinline, noclone)) static int outer(int x)
{
    return inner(x) + 1;
}

/* A return from a signal handler, of which no table tells. */
__asm__(".text\n\tnop\nsignal_return:\n\tmov $15, %rax\n\tsyscall\n\tnop\n");
extern const uint8_t signal_return[];

/* A function that calls nobody and keeps, below its stack pointer, where its return address
 * lies: as OpenSSL's SHA-512 does. */
__asm__(".text\n.type keeps_below, @function\nkeeps_below:\n\t.cfi_startproc\n"
        "\t.cfi_escape 0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8\n\tnop\n\tret\n\t.cfi_endproc\n");
extern const uint8_t keeps_below[];

static void walk_made(void)
{
    struct stack_copy const copy = made_copy(&made);
    stack_walk(code, &copy, &walk);
}

#define CODE_AT 16u

/* Executable memory that belongs to no file, with `bytes` at CODE_AT. */
static uint8_t *make_code(const void *bytes, size_t size)
{
    uint8_t *room = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(room != MAP_FAILED);
    memset(room, 0x90, 4096);
    memcpy(room + CODE_AT, bytes, size);
    CHECK(mprotect(room, 4096, PROT_READ | PROT_EXEC) == 0);
    CHECK(process_code_refresh(code) == 0);
    return room;
}

static int open_code(void **state)
{
    (void)state;
    store = code_store_create((size_t)64 << 20);
    return store && process_code_open(store, (uint32_t)getpid(), &code) == 0 ? 0 : -1;
}

static int close_code(void **state)
{
    (void)state;
    process_code_close(code);
    code_store_destroy(store);
    return 0;
}

TEST(words_below_the_stack_pointer_are_used_if_they_were_copied)
{
    made_begin(&made, keeps_below);
    made.registers[MADE_RSP] = MADE_START + 16;
    made_push(&made, 0);
    made_push(&made, MADE_START + 24); /* just below it */
    made_push(&made, 0);
    made_push(&made, made_return(outer));
    made_push(&made, 0);
    walk_made();
    assert_int_equal(walk.end, STACK_END_COMPLETE);
    assert_int_equal(walk.frame_count, 2);
    CHECK(walk.frames[1] == (uint64_t)(uintptr_t)outer);
    CHECK(!walk.not_repeatable && walk.words[0].address == MADE_START + 8);

    struct stack_copy copy = made_copy(&made);
    copy.start += 16;
    copy.bytes += 16;
    copy.size -= 16;
    stack_walk(code, &copy, &walk);
    assert_int_equal(walk.end, STACK_END_CUT);
}

TEST(a_return_address_of_zero_ends_it)
{
    made_begin(&made, inner);
    made_push(&made, made_return(outer));
    made_push(&made, 0);
    walk_made();
    assert_int_equal(walk.end, STACK_END_COMPLETE);
    assert_int_equal(walk.frame_count, 2);
    CHECK(walk.frames[0] == (uint64_t)(uintptr_t)inner);
    CHECK(walk.frames[1] == (uint64_t)(uintptr_t)outer);
    assert_int_equal(walk.word_count, 2);
    CHECK(walk.words[0].address == MADE_START && walk.words[0].value == made_return(outer));
    CHECK(walk.words[1].address == MADE_START + 8 && walk.words[1].value == 0);
    CHECK(!walk.not_repeatable);
}

TEST(a_copy_that_ends_first_is_said_to)
{
    made_begin(&made, inner);
    made_push(&made, made_return(outer));
    walk_made();
    assert_int_equal(walk.end, STACK_END_CUT);
    assert_int_equal(walk.stop, STACK_STOP_COPY_ENDS);
    assert_int_equal(walk.frame_count, 2);
}

TEST(an_empty_copy_gives_one_frame)
{
    made_begin(&made, inner);
    walk_made();
    assert_int_equal(walk.end, STACK_END_CUT);
    assert_int_equal(walk.frame_count, 1);
    assert_int_equal(walk.word_count, 0);
}

TEST(a_return_to_nowhere_is_a_bad_frame)
{
    made_begin(&made, inner);
    made_push(&made, 0x1234);
    made_push(&made, 0);
    walk_made();
    assert_int_equal(walk.end, STACK_END_BAD_FRAME);
    assert_int_equal(walk.stop, STACK_STOP_NO_CODE);
    CHECK(walk.not_repeatable); /* there may be code tomorrow */
}

TEST(code_that_came_later_is_found)
{
    CHECK(process_code_refresh(code) == 0);
    void *room = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    made_begin(&made, room);
    made.registers[MADE_RBP] = MADE_START;
    made_push(&made, 0);
    made_push(&made, made_return(outer));
    made_push(&made, 0);
    for (unsigned i = 0; i < 1000; i++) {
        walk_made();
        if (walk.stop != STACK_STOP_NO_CODE)
            break;
        usleep(10000); /* not more often than it may look */
    }
    assert_int_equal(walk.end, STACK_END_COMPLETE);
    assert_int_equal(walk.frame_count, 2);
    CHECK(!walk.not_repeatable);
    munmap(room, 4096);
}

TEST(very_deep_stacks_keep_both_ends)
{
    made_begin(&made, inner);
    for (unsigned i = 0; i < 7000; i++)
        made_push(&made, made_return(i < 6990 ? (void *)inner : (void *)outer));
    made_push(&made, 0);
    walk_made();
    assert_int_equal(walk.end, STACK_END_TOO_DEEP);
    assert_int_equal(walk.frame_count, STACK_FRAMES_MAX);
    assert_int_equal(walk.left_out, 7001 - STACK_FRAMES_MAX);
    for (unsigned i = 0; i < STACK_FRAMES_MAX; i++)
        CHECK(walk.frames[i] ==
              (uint64_t)(uintptr_t)(i < STACK_FRAMES_MAX - 10 ? (void *)inner : (void *)outer));
    CHECK(walk.not_repeatable); /* more words than can be told */
}

TEST(made_code_is_left_by_its_frame_pointer)
{
    uint8_t *room = make_code("", 0);
    made_begin(&made, room + 100);
    made.registers[MADE_RBP] = MADE_START + 16;
    made_push(&made, 0xdead); /* what lies between does not matter */
    made_push(&made, 0xbeef);
    made_push(&made, MADE_START + 40); /* the caller's frame pointer */
    made_push(&made, (uint64_t)(uintptr_t)room + 200);
    made_push(&made, 0xdead);
    made_push(&made, 0);
    made_push(&made, made_return(outer));
    made_push(&made, 0);
    walk_made();
    assert_int_equal(walk.end, STACK_END_COMPLETE);
    assert_int_equal(walk.frame_count, 3);
    assert_int_equal(walk.by_pointer, 2);
    CHECK(!walk.not_repeatable);
    assert_int_equal(
        walk.word_count,
        5); /* rbp, two return addresses, one saved rbp after the first that uses it, the final 0 */
    CHECK(walk.words[0].address == STACK_WORD_FP && walk.words[1].address == MADE_START + 24 &&
          walk.words[2].address == MADE_START + 16 && walk.words[3].address == MADE_START + 48 &&
          walk.words[4].address == MADE_START + 56);
    munmap(room, 4096);
}

TEST(made_code_is_left_at_its_first_and_last_instructions)
{
    static const uint8_t bytes[] = {0x55, 0x48, 0x89, 0xe5, 0x90, 0x5d, 0xc3};
    uint8_t *room = make_code(bytes, sizeof(bytes));
    unsigned const spots[] = {0, 1, 6}; /* push %rbp; mov %rsp, %rbp; ret */
    for (unsigned i = 0; i < 3; i++) {
        made_begin(&made, room + CODE_AT + spots[i]);
        made.registers[MADE_RBP] = 0x1111; /* the caller's, used for something else */
        if (spots[i] == 1)
            made_push(&made, 0x1111);
        made_push(&made, made_return(outer));
        made_push(&made, 0);
        walk_made();
        assert_int_equal(walk.end, STACK_END_COMPLETE);
        assert_int_equal(walk.frame_count, 2);
        CHECK(walk.words[0].address != STACK_WORD_FP);
    }
    munmap(room, 4096);
}

TEST(made_code_without_a_sound_frame_pointer_ends_it)
{
    uint8_t *room = make_code("", 0);
    uint64_t const pointers[] = {0x1111, MADE_START - 16, MADE_START + 8, MADE_START + 1};
    for (unsigned i = 0; i < 4; i++) {
        made_begin(&made, room + 100);
        made.registers[MADE_RBP] = pointers[i];
        made_push(&made, 5);
        made_push(&made, 6);
        made_push(&made, 7);
        walk_made();
        assert_int_equal(walk.end, STACK_END_NO_RULE);
        assert_int_equal(walk.stop, STACK_STOP_MADE_CODE);
        assert_int_equal(walk.frame_count, 1);
    }
    munmap(room, 4096);
}

/* As the kernel lays it: after the handler's return, a ucontext lies at the stack pointer. */
TEST(a_return_from_a_signal_leads_to_what_was_interrupted)
{
    made_begin(&made, inner);
    made_push(&made, (uint64_t)(uintptr_t)signal_return);
    for (unsigned i = 0; i < 5 + 15; i++)
        made_push(&made, 0xdead);
    made_push(&made, MADE_START + 8 * 40); /* rsp */
    made_push(&made, (uint64_t)(uintptr_t)outer);
    while (made.count < 40)
        made_push(&made, 0xdead);
    made_push(&made, 0);
    walk_made();
    assert_int_equal(walk.end, STACK_END_COMPLETE);
    assert_int_equal(walk.frame_count, 3);
    CHECK(walk.frames[1] == (uint64_t)(uintptr_t)signal_return);
    CHECK(walk.frames[2] == (uint64_t)(uintptr_t)outer);
    assert_int_equal(walk.word_count, 4); /* the handler's return, rsp, rip, the final 0 */
}

TEST(stack_pointers_that_do_not_advance_end_it)
{
    made_begin(&made, signal_return);
    for (unsigned i = 0; i < 20; i++)
        made_push(&made, 0);
    made_push(&made, MADE_START); /* interrupted where it returns from that signal, for ever */
    made_push(&made, (uint64_t)(uintptr_t)signal_return);
    walk_made();
    assert_int_equal(walk.end, STACK_END_BAD_FRAME);
    assert_int_equal(walk.stop, STACK_STOP_ASTRAY);
    CHECK(walk.frame_count < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_below_the_stack_pointer_are_used_if_they_were_copied),
        cmocka_unit_test(a_return_address_of_zero_ends_it),
        cmocka_unit_test(a_copy_that_ends_first_is_said_to),
        cmocka_unit_test(an_empty_copy_gives_one_frame),
        cmocka_unit_test(a_return_to_nowhere_is_a_bad_frame),
        cmocka_unit_test(code_that_came_later_is_found),
        cmocka_unit_test(very_deep_stacks_keep_both_ends),
        cmocka_unit_test(made_code_is_left_by_its_frame_pointer),
        cmocka_unit_test(made_code_is_left_at_its_first_and_last_instructions),
        cmocka_unit_test(made_code_without_a_sound_frame_pointer_ends_it),
        cmocka_unit_test(a_return_from_a_signal_leads_to_what_was_interrupted),
        cmocka_unit_test(stack_pointers_that_do_not_advance_end_it),
    };
    return cmocka_run_group_tests(tests, open_code, close_code);
}
