/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/lifeline.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define SHORT_NS 100000000u
#define LONG_NS  3000000000u /* longer than a busy machine keeps a process waiting */
#define NEVER_NS 3600000000000u

/* A recorder that was told to end and does not. */
struct stuck {
    uint64_t patience_ns, all_ns;
    bool gets_on, goes_round; /* its signs of life, if any */
    bool is_due;
    unsigned pulls;
    bool (*is_over)(void); /* what it looks at, unless NULL */
    int rounds;            /* of 10 ms, after which it has its way */
};

static _Atomic uint64_t progress, signs;
static int told[2];

static void tell(void *context)
{
    (void)context;
    ssize_t const ignored = write(told[1], "x", 1);
    (void)ignored;
}

static void be_stuck(const struct stuck *stuck)
{
    struct lifeline_options const options = {.patience_ns = stuck->patience_ns,
                                             .all_ns = stuck->all_ns,
                                             .progress = &progress,
                                             .signs = &signs,
                                             .let_go = tell};
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    struct lifeline *lifeline = lifeline_tie(&options);
    if (stuck->is_due)
        lifeline_end_is_due();
    for (unsigned i = 0; i < stuck->pulls; i++)
        lifeline_pull();
    for (int i = 0; i < stuck->rounds; i++) {
        if (stuck->is_over && stuck->is_over())
            _exit(9);
        progress += stuck->gets_on;
        signs += stuck->goes_round;
        usleep(10000);
    }
    lifeline_untie(lifeline);
    _exit(7);
}

/* Its exit status: 1 when it was ended, 7 when it was not, 9 when it saw that it is over. */
static int status_of(struct stuck stuck)
{
    CHECK(pipe(told) == 0);
    pid_t const pid = fork();
    if (pid == 0)
        be_stuck(&stuck);
    int status = -1;
    waitpid(pid, &status, 0);
    close(told[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(who_does_not_end_is_ended_and_lets_go)
{
    char word = 0;
    assert_int_equal(status_of((struct stuck){SHORT_NS, NEVER_NS, .pulls = 1, .rounds = 6000}), 1);
    CHECK(read(told[0], &word, 1) == 1 && word == 'x');
}

TEST(who_makes_progress_is_left_alone)
{
    struct stuck stuck = {LONG_NS, NEVER_NS, .gets_on = true, .pulls = 1, .rounds = 400};
    assert_int_equal(status_of(stuck), 7);
}

/* The program has the signal, too, and may go on for hours without doing anything. */
TEST(who_has_a_program_to_wait_for_only_has_to_live)
{
    struct stuck stuck = {LONG_NS, NEVER_NS, .goes_round = true, .pulls = 3, .rounds = 400};
    assert_int_equal(status_of(stuck), 7);
}

TEST(empty_rounds_lead_to_no_end)
{
    struct stuck stuck = {SHORT_NS, NEVER_NS, .goes_round = true, .is_due = true, .pulls = 1};
    stuck.rounds = 6000;
    assert_int_equal(status_of(stuck), 1);
}

TEST(no_progress_goes_on_for_ever)
{
    struct stuck stuck = {LONG_NS, LONG_NS, .gets_on = true, .is_due = true, .pulls = 1};
    stuck.rounds = 6000;
    assert_int_equal(status_of(stuck), 1);
}

TEST(who_can_leave_something_out_is_told_before)
{
    struct stuck stuck = {LONG_NS, NEVER_NS, .gets_on = true, .is_due = true, .pulls = 2};
    stuck.is_over = lifeline_is_in_hurry;
    stuck.rounds = 1;
    assert_int_equal(status_of(stuck), 9); /* at the second signal */
    stuck.pulls = 1;
    stuck.rounds = 6000;
    stuck.all_ns = 2ull * LONG_NS; /* or when half of the time is over */
    assert_int_equal(status_of(stuck), 9);
}

TEST(a_third_signal_is_the_end)
{
    struct stuck stuck = {LONG_NS, NEVER_NS, .gets_on = true, .is_due = true, .pulls = 3};
    stuck.rounds = 6000;
    assert_int_equal(status_of(stuck), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_does_not_end_is_ended_and_lets_go),
        cmocka_unit_test(who_makes_progress_is_left_alone),
        cmocka_unit_test(who_has_a_program_to_wait_for_only_has_to_live),
        cmocka_unit_test(empty_rounds_lead_to_no_end),
        cmocka_unit_test(no_progress_goes_on_for_ever),
        cmocka_unit_test(who_can_leave_something_out_is_told_before),
        cmocka_unit_test(a_third_signal_is_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
