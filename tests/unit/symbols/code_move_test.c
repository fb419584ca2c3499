/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/allocators/code_move.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

/* Real functions whose beginnings are awkward to move; each answers with something only it
 * knows. */
__asm__(".text\n"
        ".p2align 4\n"
        "ends_with_add: endbr64; lea 7(%rdi), %rax; ret\n"
        "ends_with_add_end:\n"
        ".p2align 4\n"
        "reads_data: movl moved_data(%rip), %eax; addl %edi, %eax; ret\n"
        "reads_data_end:\n"
        ".p2align 4\n"
        "writes_data: movl $77, moved_data(%rip); movl %edi, %eax; ret\n"
        "writes_data_end:\n"
        ".p2align 4\n"
        "branches_early: test %edi, %edi; je 1f; lea 1(%rdi), %eax; ret\n"
        "1: movl $99, %eax; ret\n"
        "branches_early_end:\n"
        ".p2align 4\n"
        "is_only_a_jump: jmp ends_with_add\n"
        "is_only_a_jump_end:\n"
        ".p2align 4\n"
        "is_a_short_jump: jmp 1f\n"
        "is_a_short_jump_end:\n"
        ".p2align 3\n"
        "1: lea 3(%rdi), %eax; ret\n"
        ".p2align 4\n"
        "is_only_a_return: ret\n"
        "is_only_a_return_end:\n"
        ".p2align 4\n"
        "jumps_through_data: jmp *moved_pointer(%rip)\n"
        "jumps_through_data_end:\n"
        ".p2align 4\n"
        "calls_at_once: sub $8, %rsp; call ends_with_add; add $8, %rsp; add $100, %eax; ret\n"
        "calls_at_once_end:\n"
        ".p2align 4\n"
        "calls_through_data: call *moved_pointer(%rip); add $200, %eax; ret\n"
        "calls_through_data_end:\n"
        ".data\n"
        ".p2align 3\n"
        "moved_data: .long 40\n"
        ".p2align 3\n"
        "moved_pointer: .quad ends_with_add\n"
        ".text\n");

#define FUNCTION(name)                                                                             \
    extern const char name[], name##_end[];                                                        \
    static struct code_function name##_function(void)                                              \
    {                                                                                              \
        return (struct code_function){{name, 64}, (size_t)(name##_end - name), (uint64_t)name};    \
    }
FUNCTION(ends_with_add)
FUNCTION(reads_data)
FUNCTION(writes_data)
FUNCTION(branches_early)
FUNCTION(is_only_a_jump)
FUNCTION(is_a_short_jump)
FUNCTION(is_only_a_return)
FUNCTION(jumps_through_data)
FUNCTION(calls_at_once)
FUNCTION(calls_through_data)
extern int moved_data;

/* A page that may run, within reach of the functions above. */
static uint8_t *page_nearby(void)
{
    uint64_t near = (uint64_t)ends_with_add & ~0xffffull;
    for (unsigned i = 1; i < 1000; i++) {
        uint64_t hint = near - i * 0x100000ull; /* NOLINT */
        void *page = mmap((void *)hint, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (page != MAP_FAILED)
            return page;
    }
    return NULL;
}

static int call_moved(struct code_function function, int argument)
{
    static uint8_t *page;
    static size_t used;
    struct code_moved moved;
    const char *why;
    if (!page)
        page = page_nearby();
    CHECK(page != NULL);
    int err = code_move(&function, (uint64_t)(page + used), &moved, &why);
    if (err)
        print_message("%s\n", why);
    CHECK(err == 0 && moved.stolen >= CODE_JUMP);
    memcpy(page + used, moved.bytes, moved.size);
    int (*copy)(int) = (int (*)(int))(page + used); /* NOLINT */
    used += 64;
    return copy(argument);
}

TEST(a_moved_beginning_does_the_same)
{
    assert_int_equal(call_moved(ends_with_add_function(), 5), 12);
    assert_int_equal(call_moved(reads_data_function(), 2), 42);
    assert_int_equal(call_moved(branches_early_function(), 0), 99);
    assert_int_equal(call_moved(branches_early_function(), 4), 5);
    assert_int_equal(call_moved(writes_data_function(), 3), 3);
    assert_int_equal(moved_data, 77);
}

TEST(functions_of_one_instruction_can_move)
{
    assert_int_equal(call_moved(is_only_a_jump_function(), 1), 8);
    assert_int_equal(call_moved(is_a_short_jump_function(), 1), 4);
    assert_int_equal(call_moved(jumps_through_data_function(), 2), 9);
    (void)call_moved(is_only_a_return_function(), 1);
}

TEST(a_call_returns_to_the_function_itself)
{
    assert_int_equal(call_moved(calls_at_once_function(), 1), 108);
    assert_int_equal(call_moved(calls_through_data_function(), 1), 208);
    struct code_function function = calls_at_once_function();
    struct code_moved moved;
    const char *why;
    CHECK(code_move(&function, function.address - 4096, &moved, &why) == 0);
    uint32_t low = (uint32_t)(function.address + 9);
    CHECK(moved.pushes && memmem(moved.bytes, moved.size, &low, 4) != NULL);
}

struct refusal {
    const char *bytes;
    size_t size, room;
    const char *why;
};
#define BYTES(text) text, sizeof(text) - 1

TEST(what_cannot_move_safely_is_refused)
{
    static const struct refusal refusals[] = {
        /* call *%rax, call *8(%rsp) */
        {BYTES("\x48\x83\xec\x08\xff\xd0\xc3"), 16, "register"},
        {BYTES("\xff\x54\x24\x08\xc3"), 16, "register"},
        /* a loop whose head is covered: dec %edi; jne back; ret */
        {BYTES("\x31\xc0\xff\xcf\x90\x75\xfb\xc3"), 16, "beginning"},
        /* jrcxz, loop: no long form */
        {BYTES("\xe3\x04\x90\x90\x90\x90\x90\xc3"), 16, "long form"},
        {BYTES("\xe2\x04\x90\x90\x90\x90\x90\xc3"), 16, "long form"},
        /* int3 */
        {BYTES("\xcc\x48\x89\xf8\x90\x90\xc3"), 16, "breakpoint"},
        /* a short one with another function right behind it */
        {BYTES("\xeb\x10\x55\x48\x89\xe5"), 6, "away"},
        {BYTES("\xc3"), 1, "short"},
        /* no instruction */
        {BYTES("\x06\x06\x06\x06\x06\x06"), 6, "read"},
        {BYTES("\x48\x8b"), 2, "read"},
        {"", 0, 0, "short"},
    };
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        struct code_function function = {
            {refusals[i].bytes, refusals[i].size}, refusals[i].size, 0x400000};
        struct code_moved moved;
        const char *why = NULL;
        int err = code_move(&function, 0x300000, &moved, &why);
        if (err != -EINVAL || !strstr(why, refusals[i].why))
            print_message("case %zu: %d %s\n", i, err, why ? why : "moved");
        CHECK(err == -EINVAL && strstr(why, refusals[i].why) != NULL);
    }
}

TEST(two_bytes_before_another_function_are_too_few)
{
    /* jmp, then padding; and jmp, then the next function */
    static const char padded[] = "\xeb\x10\xcc\xcc\xcc\x55", crowded[] = "\xeb\x10\x55\x48\x89\xe5";
    struct code_function function = {{padded, 6}, 2, 0x400000};
    struct code_moved moved;
    const char *why = NULL;
    CHECK(code_move(&function, 0x300000, &moved, &why) == 0);
    assert_int_equal(moved.stolen, 5);
    function.code.data = crowded;
    CHECK(code_move(&function, 0x300000, &moved, &why) == -EINVAL);
}

TEST(what_is_out_of_reach_is_refused)
{
    struct code_function function = reads_data_function();
    struct code_moved moved;
    const char *why = NULL;
    CHECK(code_move(&function, function.address + (3ull << 30), &moved, &why) == -EINVAL);
    CHECK(strstr(why, "far") != NULL);
}

TEST(branches_from_elsewhere_are_noticed)
{
    /* jmp rel32 to 0x400004, from 0x500000 */
    static const char far_jump[] = "\x90\xe9\xfe\xff\xef\xff";
    struct slice code = {far_jump, 6};
    CHECK(code_branches_between(code, 0x500000, 0x400000, 0x400005));
    CHECK(!code_branches_between(code, 0x500000, 0x400004, 0x400009));
    CHECK(!code_branches_between(code, 0x500000, 0x400000, 0x400004));
    CHECK(code_branches_between((struct slice){"\x06", 1}, 0x500000, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moved_beginning_does_the_same),
        cmocka_unit_test(functions_of_one_instruction_can_move),
        cmocka_unit_test(a_call_returns_to_the_function_itself),
        cmocka_unit_test(what_cannot_move_safely_is_refused),
        cmocka_unit_test(two_bytes_before_another_function_are_too_few),
        cmocka_unit_test(what_is_out_of_reach_is_refused),
        cmocka_unit_test(branches_from_elsewhere_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
