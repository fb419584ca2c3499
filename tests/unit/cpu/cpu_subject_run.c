/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_subject_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "check.h"

/* Reads until the subject has said the word. */
static void await(struct cpu_run *run, const char *word, int wait_ms)
{
    size_t length = strlen(run->told);
    struct pollfd answers = {.fd = run->answers, .events = POLLIN};
    while (!strstr(run->told, word) && poll(&answers, 1, wait_ms) > 0) {
        ssize_t const got = read(run->answers, run->told + length, sizeof(run->told) - 1 - length);
        if (got <= 0)
            break;
        length += (size_t)got;
        run->told[length] = '\0';
    }
}

static void start(struct cpu_run *run, const char *const *arguments)
{
    int orders[2], answers[2];
    char path[512];
    const char *values[8] = {NULL};
    CHECK(pipe2(orders, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0);
    snprintf(path, sizeof(path), "%s%s", SUBJECTS, arguments[0]);
    for (size_t i = 0; arguments[i] && i < 7; i++)
        values[i] = arguments[i];
    run->pid = fork();
    if (run->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(orders[0], 0);
        dup2(answers[1], 1);
        execv(path, (char *const *)values);
        _exit(127);
    }
    close(orders[0]);
    close(answers[1]);
    run->orders = orders[1];
    run->answers = answers[0];
}

void cpu_run_begin(struct cpu_run *run, const struct cpu_station_options *options,
                   const char *const *arguments)
{
    *run = (struct cpu_run){.recording = recording_create(), .resolver = resolver_create()};
    run->is_together = options->together;
    start(run, arguments);
    await(run, "ready\n", 10000);
    CHECK(strstr(run->told, "ready\n"));
    struct cpu_station_options through = *options;
    through.socket = getenv("MEMOIR_AGENT");
    through.source = through.socket ? CPU_SOURCE_AGENT : options->source;
    run->station = cpu_station_open(&through, &run->fault);
    run->began_ns = monotonic_ns();
    if (run->station &&
        cpu_station_watch(run->station, (uint32_t)run->pid, false, &run->fault) < 0) {
        cpu_station_close(run->station);
        run->station = NULL;
    }
    if (!run->station)
        print_message("skipped: %s\n", run->fault.text);
}

static void collect(struct cpu_run *run)
{
    if (run->station)
        CHECK(cpu_station_collect(run->station, run->is_together ? 0 : (uint32_t)run->pid,
                                  run->recording, &run->bucket, run->began_ns, &run->state) == 0);
}

void cpu_run_work(struct cpu_run *run, unsigned every_ms)
{
    CHECK(write(run->orders, "g", 1) == 1);
    while (every_ms && !strstr(run->told, "done\n")) {
        uint64_t const before = monotonic_ns();
        await(run, "done\n", (int)every_ms);
        collect(run);
        if (monotonic_ns() - run->began_ns > 60000000000u || monotonic_ns() == before)
            break;
    }
    await(run, "done\n", 60000);
    CHECK(strstr(run->told, "done\n"));
    collect(run);
    CHECK(write(run->orders, "e", 1) == 1);
}

void cpu_run_end(struct cpu_run *run)
{
    close(run->orders);
    waitpid(run->pid, NULL, 0);
    close(run->answers);
    cpu_station_close(run->station);
    free(run->bucket.cells);
    free(run->bucket.thread_cells);
    free(run->bucket.moments);
    recording_destroy(run->recording);
    resolver_destroy(run->resolver);
}

uint64_t cpu_run_told(const struct cpu_run *run, const char *word)
{
    char line[64];
    snprintf(line, sizeof(line), "\n%s ", word);
    const char *at = strstr(run->told, line);
    return at ? strtoull(at + strlen(line), NULL, 10) : 0;
}

/* Names are asked for as the recorder does. */
static const char *frame_name(const struct cpu_run *run, const struct frame *frame)
{
    const struct recording *recording = run->recording;
    struct resolved found[RESOLVED_MAX];
    if (frame->location_count > 0)
        return recording_text(recording,
                              recording->locations.items[frame->first_location].function);
    if (frame->module == MODULE_NONE)
        return "";
    const struct module *module = &recording->modules.items[frame->module];
    struct resolver_module const of = {.path = recording_text(recording, module->path),
                                       .root = "",
                                       .build_id = recording_text(recording, module->build_id)};
    size_t const count = resolver_lookup(run->resolver, &of, frame->address, found);
    return count ? found[count - 1].function : "";
}

bool cpu_run_has_frame(const struct cpu_run *run, stack_id stack, const char *function)
{
    while (stack != STACK_EMPTY) {
        struct stack_link const link = stack_table_innermost(run->recording->stacks, stack);
        if (strcmp(frame_name(run, &run->recording->frames.items[link.frame]), function) == 0)
            return true;
        stack = link.caller;
    }
    return false;
}

int64_t cpu_run_sum_of_both(const struct cpu_run *run, enum column column, const char *function,
                            const char *other)
{
    int64_t sum = 0;
    for (size_t i = 0; i < run->bucket.cell_count; i++) {
        const struct cell *cell = &run->bucket.cells[i];
        if (cell->column == column && (!function || cpu_run_has_frame(run, cell->key, function)) &&
            (!other || cpu_run_has_frame(run, cell->key, other)))
            sum += cell->value;
    }
    return sum;
}

int64_t cpu_run_sum(const struct cpu_run *run, enum column column, const char *function)
{
    return cpu_run_sum_of_both(run, column, function, NULL);
}

void cpu_run_print(const struct cpu_run *run)
{
    for (size_t i = 0; i < run->bucket.cell_count; i++) {
        const struct cell *cell = &run->bucket.cells[i];
        if (cell->column != COL_CPU_NS && cell->column != COL_OFFCPU_NS)
            continue;
        print_message("%s %lld:", cell->column == COL_CPU_NS ? "on" : "off",
                      (long long)cell->value);
        for (stack_id stack = cell->key; stack != STACK_EMPTY;) {
            struct stack_link const link = stack_table_innermost(run->recording->stacks, stack);
            print_message(" %s", frame_name(run, &run->recording->frames.items[link.frame]));
            stack = link.caller;
        }
        print_message("\n");
    }
    const struct timing *timing = &run->state.timing;
    print_message(
        "samples %llu of %llu expected, lost %llu, waits %llu, %llu ns, without stack %llu\n",
        (unsigned long long)timing->samples,
        (unsigned long long)(timing->cpu_ns * timing->hz / 1000000000u),
        (unsigned long long)timing->lost, (unsigned long long)timing->waits,
        (unsigned long long)timing->wait_ns, (unsigned long long)timing->waits_without_stack);
    print_message("ends:");
    for (size_t i = 0; i < STACK_END_KINDS; i++)
        print_message(" %llu", (unsigned long long)run->state.stack_ends[i]);
    for (size_t i = 0; i < 6; i++)
        print_message("\n%s", run->state.doubts[i]);
}
