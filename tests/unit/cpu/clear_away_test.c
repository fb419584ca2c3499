/* SPDX-License-Identifier: Apache-2.0 */
/* clear_away_test.c - a process that is over stays until somebody has asked for it, whoever
 * finds out that it is. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "cpu/station_parts.h"

static uint32_t ended_process(void)
{
    pid_t const pid = fork();
    if (pid == 0)
        _exit(0);
    CHECK(pid > 0 && waitpid(pid, NULL, 0) == pid);
    return (uint32_t)pid;
}

static struct cpu_process *put(struct cpu_station *station, uint32_t pid)
{
    struct cpu_process *process = cpu_process_create(pid, 0, NULL);
    CHECK(process && vec_push(&station->processes, process));
    *number_map_at(&station->index, pid) = (uint32_t)station->processes.count;
    process->is_wanted = true;
    return process;
}

static void check_it_stays(bool was_told)
{
    struct cpu_station station = {.checked_ns = 0};
    uint32_t const pid = ended_process();
    struct cpu_process *process = put(&station, pid);
    process->first_has_ended = was_told;
    station_clear_away(&station);
    CHECK(process->has_ended && station_find(&station, pid) == process);
    station_clear_away(&station);
    CHECK(station_find(&station, pid) == process);
    cpu_process_destroy(process);
    vec_free(&station.processes);
    number_map_fini(&station.index);
}

TEST(an_end_that_was_told_takes_nothing_away)
{
    check_it_stays(true);
}

TEST(an_end_that_nobody_told_takes_nothing_away)
{
    check_it_stays(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_that_was_told_takes_nothing_away),
        cmocka_unit_test(an_end_that_nobody_told_takes_nothing_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
