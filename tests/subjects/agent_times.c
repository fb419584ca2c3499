/* Watches the time of a process through the agent and says what was told of each thread, as any
 * peer could know it: lines
 *   thread TID NAME SAMPLES SAMPLED_NS WAITS WAITED_NS SHORT SHORT_NS
 * and sums.  Ends when the process has, or after SECONDS; asks at the end for the waits that are
 * not over.  Never teaches a stack. agent_times SOCKET PID SECONDS HZ LEAST_US [children] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel_events/agent_link.h"

#define THREADS_MAX 4096u

struct thread {
    uint32_t tid;
    char name[16];
    unsigned long long samples, sampled_ns, waits, waited_ns, shorts, short_ns;
};

static struct thread threads[THREADS_MAX];
static unsigned count;
static unsigned long long copies, with_stack, with_kernel, states[5], execs, forks, ended, exits,
    backwards;
static uint32_t known_as;

static struct thread *thread_of(uint32_t tid)
{
    for (unsigned i = 0; i < count; i++)
        if (threads[i].tid == tid)
            return &threads[i];
    if (count == THREADS_MAX)
        exit(3);
    threads[count].tid = tid;
    return &threads[count++];
}

static void count_time(const struct agent_time *time)
{
    struct thread *thread = thread_of(time->record.tid);
    with_kernel += time->kernel_count > 0;
    for (unsigned i = 0; i < time->kernel_count; i++)
        backwards += (int64_t)time->kernel[i] >= 0; /* not the kernel's */
    if (time->record.kind == AGENT_SAMPLE) {
        thread->samples++;
        thread->sampled_ns += time->record.address;
        with_stack += time->record.stack != AGENT_STACK_NONE;
        return;
    }
    thread->waits += time->record.address > 0 && !(time->record.flags & AGENT_GOES_ON);
    thread->waited_ns += time->record.address;
    thread->shorts += time->short_count;
    thread->short_ns += time->short_ns;
    states[time->state % 5]++;
}

static bool on_record(void *context, const struct agent_record *record)
{
    (void)context;
    copies += record->kind == AGENT_COPY;
    execs += record->kind == AGENT_EXEC;
    forks += record->kind == AGENT_FORK;
    ended |= record->kind == AGENT_EXIT && record->pid == known_as && record->flags & AGENT_IS_LAST;
    exits += record->kind == AGENT_EXIT;
    if (record->kind == AGENT_SAMPLE || record->kind == AGENT_WAIT)
        count_time((const struct agent_time *)record);
    if (record->kind == AGENT_NAME)
        snprintf(thread_of(record->tid)->name, 16, "%s", ((const struct agent_name *)record)->name);
    return true;
}

static void print(struct agent_link *link)
{
    struct agent_counters counters = {0};
    (void)agent_link_counters(link, &counters);
    for (unsigned i = 0; i < count; i++) {
        const struct thread *t = &threads[i];
        printf("thread %u %s %llu %llu %llu %llu %llu %llu\n", t->tid, t->name[0] ? t->name : "-",
               t->samples, t->sampled_ns, t->waits, t->waited_ns, t->shorts, t->short_ns);
    }
    printf("stacks %llu\ncopies %llu\nkernel %llu\nnot_kernel %llu\nexecs %llu\nforks %llu\nended "
           "%llu\n",
           with_stack, copies, with_kernel, backwards, execs, forks, ended);
    printf("states %llu %llu %llu %llu %llu\n", states[0], states[1], states[2], states[3],
           states[4]);
    printf("exits %llu\nlost %llu\nmissed %llu\n", exits, (unsigned long long)counters.lost,
           (unsigned long long)counters.waits_missed);
}

int main(int argc, char **argv)
{
    struct fault fault = {0};
    if (argc < 6)
        return 2;
    struct agent_time_wishes wishes = {.hz = (uint32_t)atoi(argv[4]),
                                       .wait_least_us = (uint32_t)atoi(argv[5])};
    wishes.watch = AGENT_WATCH_CPU | AGENT_WATCH_WAITS | (argc > 6 ? AGENT_WATCH_CHILDREN : 0);
    struct agent_link *link = agent_link_open(argv[1], &fault);
    if (!link || agent_link_watch_time(link, atoi(argv[2]), &wishes, &known_as, &fault) < 0) {
        fprintf(stderr, "agent_times: %s\n", fault.text);
        return 1;
    }
    puts("ready");
    fflush(stdout);
    time_t const end = time(NULL) + atoi(argv[3]);
    while (time(NULL) < end && !ended && agent_link_wait(link, 20) == 0)
        agent_link_drain(link, 1u << 20, on_record, NULL);
    if (!ended)
        (void)agent_link_tell_waits(link, known_as);
    agent_link_drain(link, 1u << 20, on_record, NULL);
    print(link);
    agent_link_close(link);
    return 0;
}
