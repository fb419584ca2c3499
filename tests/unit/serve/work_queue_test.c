/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/work_queue.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "check.h"
#include "serve/http/exchange.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done, later;

static uint64_t count(void *context, void *job, bool is_ending)
{
    (void)context, (void)job, (void)is_ending;
    pthread_mutex_lock(&gate);
    done++;
    pthread_mutex_unlock(&gate);
    return 0;
}

/* Comes back in an hour, unless all is ending. */
static uint64_t wait_long(void *context, void *job, bool is_ending)
{
    (void)context, (void)job;
    later++;
    if (!is_ending)
        return monotonic_ns() + UINT64_C(3600000000000);
    done++;
    return 0;
}

/* Three times, at once. */
static uint64_t come_again(void *context, void *job, bool is_ending)
{
    int *left = job;
    (void)context;
    if (*left > 0 && !is_ending) {
        --*left;
        return 1;
    }
    done++;
    return 0;
}

TEST(all_jobs_are_done_before_the_end)
{
    struct work_queue *queue = work_queue_create(8, count, NULL);
    done = 0;
    for (int i = 0; i < 5; i++)
        CHECK(work_queue_push(queue, &done));
    work_queue_end(queue);
    CHECK(done == 5);
    CHECK(!work_queue_push(queue, &done));
    work_queue_destroy(queue);
}

TEST(a_full_queue_refuses)
{
    struct work_queue *queue = work_queue_create(4, count, NULL);
    int taken = 0;
    done = 0;
    pthread_mutex_lock(&gate);
    while (taken < 100 && work_queue_push(queue, &done))
        taken++;
    pthread_mutex_unlock(&gate);
    CHECK(taken >= 4 && taken <= 5); /* one may be at work */
    work_queue_end(queue);
    CHECK(done == taken);
    work_queue_destroy(queue);
}

TEST(those_that_wait_end_with_the_queue_and_are_few)
{
    struct work_queue *queue = work_queue_create(8, wait_long, NULL);
    done = later = 0;
    for (int i = 0; i < 8; i++)
        while (!work_queue_push(queue, &done))
            ;
    while (done < 4) /* half of the room may wait, the others are told to be done */
        ;
    CHECK(later == 8);
    work_queue_end(queue);
    CHECK(done == 8);
    work_queue_destroy(queue);
}

TEST(a_job_may_come_again)
{
    struct work_queue *queue = work_queue_create(2, come_again, NULL);
    int left = 3;
    done = 0;
    CHECK(work_queue_push(queue, &left));
    while (!done)
        ;
    CHECK(left == 0);
    work_queue_end(queue);
    work_queue_destroy(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_jobs_are_done_before_the_end),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(those_that_wait_end_with_the_queue_and_are_few),
        cmocka_unit_test(a_job_may_come_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
