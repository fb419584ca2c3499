/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

/* Makes an arena, tells its descriptor, and waits for its end. */
static void hold_an_arena(int tell)
{
    struct arena arena;
    if (arena_open(&arena, false, NULL) == 0 && write(tell, &arena.fd, sizeof(arena.fd)) > 0)
        pause();
    _exit(1);
}

TEST(a_recorder_that_is_killed_is_not_taken_for_alive)
{
    int tell[2], number = -1;
    char path[64];
    CHECK(pipe(tell) == 0);
    pid_t pid = fork();
    if (pid == 0)
        hold_an_arena(tell[1]);
    CHECK(read(tell[0], &number, sizeof(number)) == sizeof(number));
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, number);
    int fd = open(path, O_RDWR);
    CHECK(fd >= 0);
    char *view = mmap(NULL, SEEN, PROT_READ, MAP_SHARED, fd, 0);
    CHECK(view != MAP_FAILED);
    assert_int_equal(holder(view), pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    CHECK((*(const volatile uint32_t *)(view + ARENA_LOCK_AT) & FUTEX_OWNER_DIED) != 0);
    munmap(view, SEEN);
    close(fd);
}

/* Whatever a program writes where it may write, the recorder follows no pointer of it. */
TEST(an_arena_full_of_rubbish_is_closed)
{
    struct arena arena;
    CHECK(arena_open(&arena, false, NULL) == 0);
    memset((char *)arena.memory + ARENA_LOCK_AT + 24, 0x5a, 16); /* where a mutex has its list */
    arena_close(&arena);
    CHECK(arena_open(&arena, false, NULL) == 0);
    arena_close(&arena);
}

/* A page that is cut off under us would be a SIGBUS. */
TEST(nobody_changes_the_size_of_an_arena)
{
    struct arena arena;
    CHECK(arena_open(&arena, false, NULL) == 0);
    CHECK(ftruncate(arena.fd, 0) < 0 && errno == EPERM);
    CHECK(ftruncate(arena.fd, 2 * (off_t)ARENA_BYTES) < 0 && errno == EPERM);
    CHECK(fcntl(arena.fd, F_ADD_SEALS, F_SEAL_WRITE) < 0 && errno == EPERM);
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorder_that_closes_its_arena_is_not_taken_for_alive),
        cmocka_unit_test(a_recorder_that_is_killed_is_not_taken_for_alive),
        cmocka_unit_test(an_arena_full_of_rubbish_is_closed),
        cmocka_unit_test(nobody_changes_the_size_of_an_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
