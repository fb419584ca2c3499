/* Who may see into which process. */
#include "agent/watch_permission.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

#define STATUS(uid, gid, caps)                                                                     \
    "Name:\tnode\nUmask:\t0022\nUid:\t" uid "\nGid:\t" gid "\nVmRSS:\t  1234 kB\nCapPrm:\t" caps   \
    "\n"
#define NO_CAPS "0000000000000000"

static int judge(const char *status, uid_t user, gid_t group)
{
    struct fault fault = {0};
    int err = watch_permission_judge(status, user, group, &fault);
    assert_int_equal(err != 0, fault.text[0] != '\0');
    return err;
}

TEST(own_process)
{
    assert_int_equal(judge(STATUS("7\t7\t7\t7", "8\t8\t8\t8", NO_CAPS), 7, 8), 0);
}

TEST(root_sees_all)
{
    assert_int_equal(judge(STATUS("7\t7\t7\t7", "8\t8\t8\t8", "00000000000000ff"), 0, 0), 0);
}

TEST(other_users)
{
    static const char *const others[] = {
        STATUS("6\t6\t6\t6", "8\t8\t8\t8", NO_CAPS), STATUS("6\t7\t7\t7", "8\t8\t8\t8", NO_CAPS),
        STATUS("7\t6\t7\t7", "8\t8\t8\t8", NO_CAPS), STATUS("7\t7\t6\t7", "8\t8\t8\t8", NO_CAPS),
        STATUS("7\t7\t7\t7", "9\t8\t8\t8", NO_CAPS), STATUS("7\t7\t7\t7", "8\t8\t9\t8", NO_CAPS),
        STATUS("0\t0\t0\t0", "0\t0\t0\t0", NO_CAPS)};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_int_equal(judge(others[i], 7, 8), -EPERM);
}

TEST(more_power)
{
    assert_int_equal(judge(STATUS("7\t7\t7\t7", "8\t8\t8\t8", "0000000000000400"), 7, 8), -EPERM);
    assert_int_equal(judge("Uid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\nVmRSS:\t1 kB\n", 7, 8), -EPERM);
}

TEST(kernel_thread)
{
    assert_int_equal(judge("Name:\tkthreadd\nUid:\t0\t0\t0\t0\n", 0, 0), -EINVAL);
}

TEST(cut_or_empty)
{
    assert_int_equal(judge("VmRSS:\t1 kB\nUid:\t7\t7", 7, 8), -EPERM);
    assert_int_equal(judge("", 7, 8), -EINVAL);
}

static pid_t other_thread;

static void *live(void *stop)
{
    other_thread = gettid();
    pthread_barrier_wait(stop);
    pthread_barrier_wait(stop);
    return NULL;
}

/* Its number is free again while the process lives, and may become somebody else's. */
TEST(a_thread_is_no_process)
{
    struct fault fault = {0};
    pthread_barrier_t stop;
    pthread_t thread;
    pthread_barrier_init(&stop, NULL, 2);
    pthread_create(&thread, NULL, live, &stop);
    pthread_barrier_wait(&stop);
    assert_int_equal(watch_permission("/proc", (uint32_t)other_thread, 0, 0, &fault), -EINVAL);
    assert_int_equal(watch_permission("/proc", (uint32_t)getpid(), 0, 0, &fault), 0);
    pthread_barrier_wait(&stop);
    pthread_join(thread, NULL);
}

TEST(numbers_of_pidfds)
{
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    assert_true(self >= 0);
    assert_int_equal(pidfd_number("/proc", self), getpid());
    close(self);
    assert_int_equal(pidfd_number("/proc", 0), 0);
    assert_int_equal(pidfd_number("/nowhere", self), 0);
}

/* A folder that looks like /proc as far as the level goes. */
static bool knows_at(const char *level, uid_t user)
{
    char folder[] = "/tmp/memoir-proc-XXXXXX", path[64], rest[128];
    assert_non_null(mkdtemp(folder));
    snprintf(rest, sizeof(rest), "mkdir -p %s/sys/kernel", folder);
    assert_int_equal(system(rest), 0);
    snprintf(path, sizeof(path), "%s/sys/kernel/perf_event_paranoid", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(level, file);
    fclose(file);
    bool const knows = may_know_kernel(folder, user);
    snprintf(rest, sizeof(rest), "rm -r %s", folder);
    assert_int_equal(system(rest), 0);
    return knows;
}

TEST(who_may_know_the_kernel)
{
    assert_true(may_know_kernel("/nowhere", 0));
    assert_false(may_know_kernel("/nowhere", 1000));
    assert_true(knows_at("1\n", 1000));
    assert_true(knows_at("-1\n", 1000));
    assert_false(knows_at("2\n", 1000));
    assert_false(knows_at("4\n", 1000));
    assert_true(knows_at("4\n", 0));
    assert_false(knows_at("", 1000));
    assert_false(knows_at("x", 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_process),
        cmocka_unit_test(root_sees_all),
        cmocka_unit_test(other_users),
        cmocka_unit_test(more_power),
        cmocka_unit_test(kernel_thread),
        cmocka_unit_test(cut_or_empty),
        cmocka_unit_test(a_thread_is_no_process),
        cmocka_unit_test(numbers_of_pidfds),
        cmocka_unit_test(who_may_know_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
