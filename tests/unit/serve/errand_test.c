/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/errand.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

static struct fault fault;
static char *body;
static size_t size;

static struct errand *start_for(uint64_t client, const char *script)
{
    const char *const words[] = {"sh", "-c", script, NULL};
    fault = (struct fault){.text = ""};
    return errand_start("/bin/sh", words, client, &fault);
}

static struct errand *start(const char *script)
{
    return start_for(1, script);
}

/* What errand_look gives in the end. */
static int wait_for(struct errand *errand)
{
    int done;
    while ((done = errand_look(errand, &body, &size, &fault)) == 0)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    errand_end(errand);
    return done;
}

TEST(what_it_writes_is_the_answer)
{
    CHECK(wait_for(start("printf 'a\\0b'; echo and words >&2")) == 1);
    CHECK(size == 3 && memcmp(body, "a\0b", 3) == 0);
    free(body);
}

TEST(its_first_line_says_what_is_wrong)
{
    CHECK(wait_for(start("echo half an answer; echo why >&2; echo more >&2; exit 1")) == -EIO);
    assert_string_equal(fault.text, "why");
}

TEST(one_that_is_killed_is_told)
{
    CHECK(wait_for(start("kill -9 $$")) == -EIO);
    CHECK(strstr(fault.text, "signal 9"));
}

TEST(nothing_is_left_open_for_it)
{
    CHECK(wait_for(start("cd /proc/self/fd && echo *")) == 1);
    CHECK(strcmp(body, "0 1 2\n") == 0 || strcmp(body, "0 1 2 3\n") == 0);
    free(body);
}

TEST(signals_are_as_usual)
{
    signal(SIGPIPE, SIG_IGN);
    CHECK(wait_for(start("kill -s PIPE $$; echo survived")) == -EIO);
    CHECK(strstr(fault.text, "signal 13"));
    signal(SIGPIPE, SIG_DFL);
}

TEST(there_are_not_too_many_and_all_can_be_ended)
{
    struct errand *errands[ERRANDS_MOST];
    for (int i = 0; i < ERRANDS_MOST; i++)
        CHECK((errands[i] = start_for((uint64_t)i, "exec sleep 1000")));
    CHECK(!start("true"));
    CHECK(fault.code == -EBUSY);
    for (int i = 0; i < ERRANDS_MOST; i++)
        errand_end(errands[i]);
    CHECK(wait_for(start("true")) == 1);
    free(body);
}

TEST(one_client_leaves_room_for_others)
{
    struct errand *errands[ERRANDS_OF_ONE_MOST], *other;
    for (int i = 0; i < ERRANDS_OF_ONE_MOST; i++)
        CHECK((errands[i] = start("exec sleep 1000")));
    CHECK(!start("true"));
    CHECK(fault.code == -EBUSY && strstr(fault.text, "for this client already"));
    CHECK((other = start_for(2, "exec sleep 1000")));
    for (int i = 0; i < ERRANDS_OF_ONE_MOST; i++)
        errand_end(errands[i]);
    CHECK(wait_for(start("true")) == 1);
    free(body);
    errand_end(other);
}

TEST(no_such_program)
{
    const char *const words[] = {"none", NULL};
    CHECK(!errand_start("/nowhere/none", words, 1, &fault));
    for (int i = 0; i < ERRANDS_MOST; i++) /* and no place is lost */
        CHECK(!errand_start("/nowhere/none", words, 1, &fault) && fault.code != -EBUSY);
    CHECK(strstr(fault.text, "/nowhere/none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_writes_is_the_answer),
        cmocka_unit_test(its_first_line_says_what_is_wrong),
        cmocka_unit_test(one_that_is_killed_is_told),
        cmocka_unit_test(nothing_is_left_open_for_it),
        cmocka_unit_test(signals_are_as_usual),
        cmocka_unit_test(there_are_not_too_many_and_all_can_be_ended),
        cmocka_unit_test(one_client_leaves_room_for_others),
        cmocka_unit_test(no_such_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
