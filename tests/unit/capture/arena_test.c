/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/arena.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#define SEEN (ARENA_LOCK_AT + 4096)

/* The process that holds the lock, as somebody sees it who has the arena mapped as well. */
static pid_t holder(const char *view)
{
    return (pid_t)(*(const volatile uint32_t *)(view + ARENA_LOCK_AT) & FUTEX_TID_MASK);
}

TEST(a_recorder_that_closes_its_arena_is_not_taken_for_alive)
{
    struct arena arena;
    CHECK(arena_open(&arena, false, NULL) == 0);
    char *view = mmap(NULL, SEEN, PROT_READ, MAP_SHARED, arena.fd, 0);
    CHECK(view != MAP_FAILED);
    assert_int_equal(holder(view), getpid());
    arena_close(&arena);
    assert_int_equal(holder(view), 0);
    munmap(view, SEEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorder_that_closes_its_arena_is_not_taken_for_alive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
