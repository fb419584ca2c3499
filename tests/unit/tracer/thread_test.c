/* SPDX-License-Identifier: Apache-2.0 */
/* thread_test.c - slots of threads that come and go, and calls inside of calls. */
#include "tracer/stacks/slot_memory.h"
#include "tracer/rings/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
#include "program_side.h"
#include "random.h"
#include "rings.h"
#include "tracer/process/raw_syscall.h"

#define HERE __builtin_frame_address(0)

extern void *__libc_stack_end;

static struct arena_header *header(void)
{
    return program_side(rings.arena);
}

static struct arena_tag *tag_at(uint32_t index)
{
    return arena_tag_at(program_side(rings.arena), index);
}

static struct arena_slot *own_slot(void)
{
    return tracer_self.slot ? tracer_self.slot : thread_claim_slot();
}

static uint32_t own_tid(void)
{
    return (uint32_t)raw_syscall3(SYS_gettid, 0, 0, 0);
}

static void join(pthread_t thread, uint32_t tid)
{
    pthread_join(thread, NULL);
    while (tid && raw_syscall3(SYS_tgkill, getpid(), tid, 0) == 0)
        sched_yield(); /* the kernel takes a moment longer */
}

/* ---- sums and slots of threads that are over ---- */

#define AT_ONCE 4u
#define ROUNDS  40u

struct work {
    unsigned calls, frees;
    uint64_t bytes, tid;
    struct tracer_thread self; /* as it was at the end */
};

static void *work(void *context)
{
    struct work *work = context;
    work->tid = own_tid();
    for (unsigned i = 0; i < work->calls + work->frees; i++) {
        if (!tracer_enter())
            return NULL;
        if (arena_enter()) {
            if (i < work->calls)
                rings_allocate(4096 + i * 16, work->bytes / work->calls);
            else
                rings_release(4096 + i * 16);
            arena_leave();
        }
        tracer_leave();
    }
    work->self = tracer_self;
    return NULL;
}

struct totals {
    uint64_t calls, bytes, frees, lost, waits, wait_ticks, thinned_calls, thinned_bytes, pool_calls,
        pool_bytes;
};

/* Of those that have a slot, and of those that had one. */
static struct totals sum_all(void)
{
    const struct arena_process *process = arena_process_at(program_side(rings.arena), 0);
    struct totals sum = {process->calls,         process->bytes,         process->frees,
                         process->lost,          process->waits,         process->wait_ticks,
                         process->thinned_calls, process->thinned_bytes, process->pool_calls,
                         process->pool_bytes};
    for (uint32_t i = 0; i < header()->slot_high; i++) {
        const struct arena_slot *slot = arena_slot_at(program_side(rings.arena), i);
        struct totals const more = {
            slot->calls,      slot->bytes,      slot->frees,         slot->lost + slot->nested,
            slot->waits,      slot->wait_ticks, slot->thinned_calls, slot->thinned_bytes,
            slot->pool_calls, slot->pool_bytes};
        for (unsigned k = 0; k < sizeof(sum) / 8; k++)
            ((uint64_t *)&sum)[k] += ((const uint64_t *)&more)[k];
    }
    return sum;
}

static unsigned count_owners(void)
{
    unsigned owners = 0;
    for (uint32_t i = 0; i < header()->slot_high; i++) {
        struct arena_slot *slot = arena_slot_at(program_side(rings.arena), i);
        struct ring_event event;
        while (rings_next(slot, &event)) {
            if (event.type != EVENT_THREAD)
                continue;
            owners++;
            CHECK((event.words[0] >> 16 & 0xffff) == tracer_process.process);
        }
    }
    return owners;
}

TEST(threads_that_come_and_go_share_slots_and_lose_no_count)
{
    struct random random = random_from(6);
    struct totals model = {0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct work jobs[AT_ONCE];
        pthread_t threads[AT_ONCE];
        for (unsigned i = 0; i < AT_ONCE; i++) {
            jobs[i] = (struct work){.calls = 1 + (unsigned)random_below(&random, 50),
                                    .frees = (unsigned)random_below(&random, 50)};
            jobs[i].bytes = jobs[i].calls * random_below(&random, 500);
            CHECK(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
            model.calls += jobs[i].calls;
            model.bytes += jobs[i].bytes;
            model.frees += jobs[i].frees;
        }
        for (unsigned i = 0; i < AT_ONCE; i++)
            join(threads[i], (uint32_t)jobs[i].tid);
        for (unsigned i = 0; i < AT_ONCE; i++) {
            CHECK(jobs[i].self.slot ==
                  arena_slot_at(program_side(rings.arena), jobs[i].self.limits.slot));
            CHECK(jobs[i].self.seat != &seat_of_nobody && jobs[i].self.epoch == rings.alive);
        }
    }
    struct totals const sum = sum_all();
    assert_memory_equal(&sum, &model, sizeof(sum));
    CHECK(header()->slot_high <= AT_ONCE);
    CHECK(count_owners() == AT_ONCE * ROUNDS);
    for (uint32_t i = 0; i < header()->slot_high; i++)
        CHECK(tag_at(i)->dying && tag_at(i)->owner != 0 && tag_at(i)->tid == tag_at(i)->owner);
}

/* All that a slot counts belongs to its process when another thread takes it over. */
TEST(the_next_owner_begins_at_nothing)
{
    struct work first = {.calls = 1}, second = {.calls = 1};
    struct arena_process *process = arena_process_at(program_side(rings.arena), 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, &first) == 0);
    join(thread, (uint32_t)first.tid);
    struct arena_slot *slot = first.self.slot;
    slot->calls = 1001, slot->bytes = 1002, slot->frees = 1003, slot->lost = 1004;
    slot->nested = 5, slot->pool_calls = 1005, slot->pool_bytes = 1006;
    slot->thinned_calls = 1007, slot->thinned_bytes = 1008, slot->waits = 1009;
    slot->wait_ticks = 1010, slot->thin = 1, slot->cost_ticks = slot->cost_events = 7;
    slot->gap_events = slot->gap_calls = slot->gap_bytes = slot->gap_frees = 3;
    arena_slot_memory(slot)->children[5].key = 77;
    CHECK(pthread_create(&thread, NULL, work, &second) == 0);
    join(thread, (uint32_t)second.tid);
    CHECK(second.self.slot == slot && slot->calls == 1 && tag_at(0)->owner == second.tid);
    struct totals const left = {process->calls,         process->bytes,         process->frees,
                                process->lost,          process->waits,         process->wait_ticks,
                                process->thinned_calls, process->thinned_bytes, process->pool_calls,
                                process->pool_bytes};
    struct totals const had = {1001, 1002, 1003, 1009, 1009, 1010, 1007, 1008, 1005, 1006};
    assert_memory_equal(&left, &had, sizeof(left));
    CHECK(slot->bytes == 0 && slot->frees == 0 && slot->lost == 0 && slot->nested == 0);
    CHECK(slot->pool_calls == 0 && slot->pool_bytes == 0 && slot->thinned_calls == 0);
    CHECK(slot->thinned_bytes == 0 && slot->waits == 0 && slot->wait_ticks == 0);
    CHECK(slot->thin == 0 && slot->cost_events == 0 && slot->cost_ticks == 0);
    struct ring_event event; /* the gap that was left open is told by the next */
    bool is_told = false;
    while (rings_next(slot, &event))
        is_told |= event.type == EVENT_GAP && event.words[1] == 3 && event.words[3] == 3;
    CHECK(is_told && arena_slot_memory(slot)->children[5].key == 77);
}

TEST(the_slot_of_another_process_is_wiped)
{
    struct arena_slot *slot = arena_slot_at(program_side(rings.arena), 0);
    slot->gap_events = slot->gap_calls = slot->gap_bytes = slot->gap_frees = 3;
    arena_slot_memory(slot)->children[5].key = 77;
    slot->thin = 1;
    slot->last_alloc = slot->last_block = slot->last_clock = slot->last_time = slot->rate = 9;
    tag_at(0)->process = 3;
    CHECK(rings_own_slot() == slot);
    CHECK(slot->thin == 0 && slot->last_alloc == UINT64_MAX && slot->last_block == 0);
    CHECK(slot->last_clock == 0 && slot->last_time == 0 && slot->rate == RATE_FULL);
    CHECK(slot->gap_events == 0 && slot->gap_calls == 0 && slot->gap_bytes == 0);
    CHECK(slot->gap_frees == 0 && arena_slot_memory(slot)->children[5].key == 0);
    CHECK(tag_at(0)->process == 0 && tag_at(0)->dying == 0 && tag_at(0)->owner == own_tid());
}

TEST(a_slot_is_free_only_when_its_thread_is_gone)
{
    for (uint32_t i = 0; i < 7; i++)
        *tag_at(i) = (struct arena_tag){.owner = 0x3ffffff0, .process = 0};
    tag_at(0)->owner = SLOT_TAKING; /* somebody is just taking it */
    tag_at(0)->dying = 1;
    tag_at(2)->owner = own_tid(); /* dying, but not gone; the second is not known to die */
    tag_at(2)->dying = 1;
    tag_at(3)->process = 1; /* another process knows */
    tag_at(3)->dying = 1;
    tag_at(4)->dying = 1;
    tag_at(5)->owner = 0;
    CHECK(rings_own_slot() == arena_slot_at(program_side(rings.arena), 4));
    CHECK(header()->slot_high == 5 && tracer_self.limits.slot == 4);
    tracer_self.slot = NULL;
    CHECK(rings_own_slot() == arena_slot_at(program_side(rings.arena), 5));
}

/* ---- more threads than slots ---- */

struct crowd {
    pthread_barrier_t came, leave;
    _Atomic unsigned with, without;
};

static void *be_there(void *context)
{
    struct crowd *crowd = context;
    if (arena_enter()) {
        rings_allocate(4096, 10);
        atomic_fetch_add(tracer_self.slot ? &crowd->with : &crowd->without, 1);
        arena_leave();
    }
    pthread_barrier_wait(&crowd->came);
    pthread_barrier_wait(&crowd->leave);
    return NULL;
}

TEST(threads_beyond_the_slots_are_counted_and_ask_again_later)
{
    struct arena_process *process = arena_process_at(program_side(rings.arena), 0);
    struct crowd crowd = {.with = 0};
    pthread_t threads[10];
    header()->slot_limit = 6;
    pthread_barrier_init(&crowd.came, NULL, 11);
    pthread_barrier_init(&crowd.leave, NULL, 11);
    for (unsigned i = 0; i < 10; i++)
        CHECK(pthread_create(&threads[i], NULL, be_there, &crowd) == 0);
    pthread_barrier_wait(&crowd.came);
    CHECK(crowd.with == 6 && crowd.without == 4 && header()->slot_high == 6);
    CHECK(process->lost == 4 && process->calls == 4 && process->bytes == 40);
    CHECK(arena_enter() && !own_slot() && tracer_self.slotless == 1000);
    tag_at(2)->owner = 0; /* there is one now, but nobody looks */
    for (unsigned i = 0; i < 1000; i++)
        CHECK(!own_slot());
    CHECK(own_slot() == arena_slot_at(program_side(rings.arena), 2));
    arena_leave();
    pthread_barrier_wait(&crowd.leave);
    for (unsigned i = 0; i < 10; i++)
        join(threads[i], 0);
}

static void *try_to_enter(void *context)
{
    bool *could = context;
    *could = arena_enter();
    return NULL;
}

TEST(a_thread_without_a_seat_stays_outside)
{
    int status;
    pid_t child = fork();
    if (child == 0) { /* seats are for ever */
        pthread_t thread;
        bool could = true;
        tracer_process.local_pid = (uint32_t)getpid();
        for (uint32_t pid = 0x30000000; seat_claim(&seat_of_nobody, pid, 1); pid++)
            continue; /* each of a process of its own, whose threads nobody can judge */
        pthread_create(&thread, NULL, try_to_enter, &could);
        pthread_join(thread, NULL);
        _exit(could || arena_process_at(program_side(rings.arena), 0)->lost != 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static uint32_t place_in_child;

static void *let_child_enter(void *tid)
{
    *(uint32_t *)tid = own_tid();
    pid_t child = vfork();
    if (child == 0) {
        if (tracer_enter() && arena_enter()) {
            rings_allocate(4096, 100);
            arena_leave();
            tracer_leave();
        }
        _exit(0);
    }
    waitpid(child, NULL, 0);
    if (tracer_self.slot && atomic_load(&tracer_self.seat->pid) == (uint32_t)getpid())
        place_in_child = atomic_load(&tag_at(tracer_self.limits.slot)->owner);
    return NULL;
}

TEST(a_child_in_our_memory_takes_its_threads_place)
{
    pthread_t thread;
    uint32_t tid = 0;
    pthread_create(&thread, NULL, let_child_enter, &tid);
    pthread_join(thread, NULL);
    CHECK(tid != 0 && place_in_child == tid);
}

TEST(a_child_of_no_known_thread_takes_nothing)
{
    tracer_process.local_pid = 0x30000000;
    CHECK(!arena_enter() && atomic_load(&tracer_self.seat->inside) == 0);
    CHECK(arena_process_at(program_side(rings.arena), 0)->lost == 1);
    CHECK(!thread_claim_slot() && !tracer_self.slot);
    tracer_process.local_pid = (uint32_t)getpid();
    CHECK(arena_enter());
    arena_leave();
}

TEST(each_recording_begins_anew)
{
    struct arena_slot *first = rings_own_slot();
    struct seat *seat = tracer_self.seat;
    CHECK(arena_enter() && tracer_self.slot == first && atomic_load(&seat->inside) == 1);
    arena_leave();
    CHECK(atomic_load(&seat->inside) == 0);
    rings.alive += 1000;
    tracer_self.slotless = 5;
    CHECK(arena_enter() && !tracer_self.slot && tracer_self.slotless == 0);
    CHECK(tracer_self.seat == seat && atomic_load(&seat->inside) == 1);
    CHECK(tracer_self.epoch == rings.alive);
    arena_leave();
    rings.alive = 0;
    CHECK(!arena_enter() && atomic_load(&seat->inside) == 0);
    rings.may_revive = true;
    CHECK(arena_enter() && tracer_self.epoch == rings.alive && rings.alive != 0);
    arena_leave();
}

/* ---- whose stack it is ---- */

static void *look_at_stack(void *context)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    (void)context;
    struct arena_slot *slot = rings_own_slot();
    const struct thread_limits *limits = &tracer_self.limits;
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
    CHECK(pthread_attr_getstack(&attributes, &low, &size) == 0);
    CHECK(limits->stack_floor >= (uint64_t)low && limits->stack_floor < (uint64_t)low + 65536);
    CHECK(limits->stack_low > (uint64_t)low && limits->stack_low < (uint64_t)HERE);
    CHECK(limits->stack_low > (uint64_t)HERE - 4096);
    CHECK(limits->stack_high > (uint64_t)HERE && limits->stack_high <= (uint64_t)low + size);
    CHECK(slot->stack_high == limits->stack_high);
    pthread_attr_destroy(&attributes);
    return NULL;
}

TEST(a_thread_knows_its_stack)
{
    pthread_attr_t attributes;
    pthread_t thread;
    static const size_t sizes[] = {16384 * 4, 8 << 20};
    struct arena_slot *slot = rings_own_slot();
    CHECK(tracer_self.limits.stack_high == (uint64_t)__libc_stack_end);
    CHECK(tracer_self.limits.stack_floor == (uint64_t)__libc_stack_end - (64 << 20));
    CHECK(tracer_self.limits.stack_low < (uint64_t)HERE);
    CHECK(slot->stack_high == tracer_self.limits.stack_high);
    for (unsigned i = 0; i < 2; i++) {
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, sizes[i]);
        CHECK(pthread_create(&thread, &attributes, look_at_stack, NULL) == 0);
        join(thread, 0);
        pthread_attr_destroy(&attributes);
    }
}

static ucontext_t back;

static void begin_elsewhere(void)
{
    CHECK(thread_claim_slot() != NULL);
}

TEST(on_a_stack_of_the_programs_own_nothing_is_known)
{
    static char stack[65536];
    ucontext_t there;
    CHECK(arena_enter());
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof(stack);
    there.uc_link = &back;
    makecontext(&there, begin_elsewhere, 0);
    swapcontext(&back, &there);
    arena_leave();
    CHECK(tracer_self.slot && tracer_self.slot->stack_high == 0);
    CHECK(tracer_self.limits.stack_low == 0 && tracer_self.limits.stack_high == 0);
    CHECK(tracer_self.limits.stack_floor == 0);
}

/* ---- calls inside of calls ---- */

__attribute__((noinline)) static bool enter_deeper(unsigned depth)
{
    volatile char room[64] = {0};
    bool const entered = depth ? enter_deeper(depth - 1) : tracer_enter();
    return entered && room[0] == 0;
}

TEST(a_call_inside_of_a_hook_is_not_recorded_but_counted)
{
    struct arena_slot *slot = rings_own_slot();
    CHECK(tracer_enter() && tracer_self.busy == THREAD_BUSY);
    CHECK(!enter_deeper(3) && slot->nested == 1);
    tracer_self.busy = THREAD_ELSEWHERE; /* in an allocator that calls another */
    CHECK(!enter_deeper(3) && slot->nested == 1);
    CHECK(!tracer_enter_if_idle());
    tracer_leave();
    CHECK(tracer_enter_if_idle());
    tracer_leave();
    rings.alive = 0;
    CHECK(!tracer_enter_if_idle());
}

TEST(a_hook_that_was_jumped_out_of_is_over)
{
    struct arena_slot *slot = rings_own_slot();
    CHECK(enter_deeper(5));
    uint64_t const left = tracer_self.busy_frame;
    CHECK(tracer_enter() && tracer_self.busy_frame > left && slot->nested == 0);
    CHECK(atomic_load(&tracer_self.seat->inside) == 0);
    /* not when either is on another stack */
    tracer_self.limits.stack_floor = tracer_self.busy_frame - 8;
    tracer_self.busy_frame = left;
    CHECK(!tracer_enter() && slot->nested == 1);
    tracer_self.limits.stack_floor = 0;
    tracer_self.limits.stack_high = left;
    CHECK(!tracer_enter() && slot->nested == 2);
    /* without a slot the seat tells */
    tracer_self.slot = NULL;
    atomic_store(&tracer_self.seat->inside, 1);
    CHECK(!tracer_enter() && atomic_load(&tracer_self.seat->inside) == 1);
    atomic_store(&tracer_self.seat->inside, 0);
    CHECK(tracer_enter());
    tracer_self.busy_frame = UINT64_MAX;
    CHECK(!tracer_enter());
}

TEST(the_first_call_of_a_thread_may_begin)
{
    tracer_self.busy = THREAD_NEW;
    CHECK(tracer_enter() && tracer_self.busy == THREAD_BUSY);
    rings.alive = 0;
    tracer_self.busy = THREAD_NEW;
    CHECK(!tracer_enter() && tracer_self.busy == THREAD_NEW);
    rings.may_revive = true;
    CHECK(tracer_enter() && tracer_self.busy == THREAD_BUSY && rings.alive != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(threads_that_come_and_go_share_slots_and_lose_no_count, rings_begin),
        cmocka_unit_test_setup(the_next_owner_begins_at_nothing, rings_begin),
        cmocka_unit_test_setup(the_slot_of_another_process_is_wiped, rings_begin),
        cmocka_unit_test_setup(a_slot_is_free_only_when_its_thread_is_gone, rings_begin),
        cmocka_unit_test_setup(threads_beyond_the_slots_are_counted_and_ask_again_later,
                               rings_begin),
        cmocka_unit_test_setup(a_thread_without_a_seat_stays_outside, rings_begin),
        cmocka_unit_test_setup(a_child_in_our_memory_takes_its_threads_place, rings_begin),
        cmocka_unit_test_setup(a_child_of_no_known_thread_takes_nothing, rings_begin),
        cmocka_unit_test_setup(each_recording_begins_anew, rings_begin),
        cmocka_unit_test_setup(a_thread_knows_its_stack, rings_begin),
        cmocka_unit_test_setup(on_a_stack_of_the_programs_own_nothing_is_known, rings_begin),
        cmocka_unit_test_setup(a_call_inside_of_a_hook_is_not_recorded_but_counted, rings_begin),
        cmocka_unit_test_setup(a_hook_that_was_jumped_out_of_is_over, rings_begin),
        cmocka_unit_test_setup(the_first_call_of_a_thread_may_begin, rings_begin),
    };
    thread_start_up();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
