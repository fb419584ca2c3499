/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/borrowed_thread.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "inject/library/errand_code.h"
#include "inject/choice/limit_hint.h"
#include "inject/library/put_back_frame.h"
#include "inject/threads/call_code.h"
#include "inject/threads/thread_registers.h"
#include "inject/threads/thread_run.h"

#define OP_WAIT_NS  (10 * NS_PER_SECOND)
#define STACK_BYTES (256u * 1024u)
#define PAGE        4096u
#define STEPS_BYTES 4096u
#define SCRATCH_BYTES                                                                              \
    (PAGE + BORROWED_DATA_BYTES + STEPS_BYTES + STACK_BYTES) /* code, data, steps, stack */
/* below the frame, for whatever signals the thread gets later */
#define STACK_SPARE    (64u * 1024u)
#define SIGNALS_HELD   (~(1ull << (ERRAND_SIGNAL - 1)))
#define USER_SPACE_END (1ull << 47)

_Static_assert(sizeof(struct borrowed_step) == ERRAND_STEP_BYTES, "as the code has it");
_Static_assert(ERRAND_TIDY_AT == PAGE + BORROWED_DATA_BYTES + STEPS_BYTES / 2, "behind the steps");
_Static_assert(ERRAND_TIDY_AT + 8 + BORROWED_TIDY_MAX * ERRAND_STEP_BYTES <= ERRAND_CELLS_AT &&
                   ERRAND_CELLS_AT + BORROWED_CELLS_BYTES ==
                       PAGE + BORROWED_DATA_BYTES + STEPS_BYTES,
               "behind what tidies up");
_Static_assert(BORROWED_STEPS_MAX *ERRAND_STEP_BYTES <= STEPS_BYTES / 2, "they fit");

/* In a restartable sequence the kernel would not know where to restart it. */
static bool in_restartable_sequence(const struct borrowed_thread *borrowed)
{
    struct __ptrace_rseq_configuration rseq;
    uint64_t sequence = 0, start_and_length[2];
    if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, borrowed->thread.tid, sizeof(rseq), &rseq) < 0 ||
        rseq.rseq_abi_pointer == 0 ||
        !remote_read(borrowed->memory, rseq.rseq_abi_pointer + 8, &sequence, sizeof(sequence)) ||
        sequence == 0)
        return false;
    if (!remote_read(borrowed->memory, sequence + 8, start_and_length, sizeof(start_and_length)))
        return true;
    return registers_ip(&borrowed->saved) - start_and_length[0] < start_and_length[1];
}

static int save(struct borrowed_thread *borrowed)
{
    pid_t tid = borrowed->thread.tid;
    borrowed->vectors_size = sizeof(borrowed->vectors);
    if (!thread_registers(tid, &borrowed->saved) ||
        !thread_vectors(tid, borrowed->vectors, &borrowed->vectors_size) ||
        ptrace(PTRACE_GETSIGMASK, tid, sizeof(borrowed->signal_mask), &borrowed->signal_mask) < 0)
        return errno == ESRCH ? -ESRCH : -EIO;
    return 0;
}

/* A wait that was interrupted before goes by the name of restart_syscall, which works only as
 * long as nobody else needs the kernel's note of it.  Which call it was stands in the code. */
static int64_t waiting_call(const struct borrowed_thread *borrowed)
{
    static const uint32_t waits[] = {SYS_clock_nanosleep, SYS_nanosleep, SYS_poll, SYS_futex};
    uint8_t code[CALL_CODE_BYTES];
    int64_t const named = registers_call(&borrowed->saved);
    uint64_t const from = registers_ip(&borrowed->saved) - sizeof(code);
    if (named != SYS_restart_syscall || !remote_read(borrowed->memory, from, code, sizeof(code)))
        return named;
    int64_t const found = call_code_find(code, waits, sizeof(waits) / sizeof(waits[0]));
    return found < 0 ? named : found;
}

/* Lays down what puts the thread back without us. */
static int lay_frame(struct borrowed_thread *borrowed, const struct module_client *modules)
{
    uint8_t bytes[PUT_BACK_MAX];
    size_t size;
    struct put_back_state state = {borrowed->saved, borrowed->signal_mask, borrowed->vectors,
                                   borrowed->vectors_size};
    registers_set_call(&state.registers, waiting_call(borrowed));
    const struct map_region *stack = map_list_find(&modules->maps, registers_sp(&borrowed->saved));
    borrowed->frame = put_back_frame(&state, borrowed->spots.put_back, bytes, &size);
    if (!borrowed->frame)
        return -EIO;
    if (!stack || !stack->writable || borrowed->frame - stack->start < STACK_SPARE ||
        borrowed->frame < stack->start)
        return -EAGAIN;
    return remote_write(borrowed->memory, borrowed->frame, bytes, size) ? 0 : -EIO;
}

/* The scratch memory goes where we say, because what unmaps it if we die right after it was
 * mapped is laid down before. Nobody else is about to map anything in a random place in the
 * midst of the largest hole. */
static uint64_t choose_room(const struct map_list *maps)
{
    uint64_t at = 0, size = 0, before = 0, number = 0;
    vec_each (region, &maps->regions) {
        if (region->start >= USER_SPACE_END)
            break;
        if (before && region->start - before > size) {
            at = before;
            size = region->start - before;
        }
        before = region->end;
    }
    if (size < 4ull * SCRATCH_BYTES || getrandom(&number, sizeof(number), 0) != sizeof(number))
        return 0;
    return (at + size / 4 + number % (size / 2 - SCRATCH_BYTES)) & ~(uint64_t)(PAGE - 1);
}

/* Whether the thread's own memory has what was just written: memory that was opened before an exec
 * is that of the program before.  What is compared has a number in it that nobody could know. */
static bool lies_in_its_memory(const struct borrowed_thread *borrowed, uint64_t at,
                               const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done + sizeof(long) <= size; done += sizeof(long)) {
        long word;
        memcpy(&word, bytes + done, sizeof(word));
        errno = 0;
        long const there = ptrace(PTRACE_PEEKDATA, borrowed->thread.tid, at + done, 0);
        if (there != word || errno != 0)
            return false;
    }
    return true;
}

/* Lays down what unmaps that, too. */
static int lay_first_frame(struct borrowed_thread *borrowed, const struct module_client *modules)
{
    uint8_t bytes[PUT_BACK_MAX];
    size_t size;
    struct put_back_state const state = {.registers = borrowed->saved, .signal_mask = SIGNALS_HELD};
    borrowed->room = choose_room(&modules->maps);
    if (!borrowed->room)
        return -EAGAIN;
    struct last_call const call = {
        SYS_munmap, {borrowed->room, SCRATCH_BYTES}, borrowed->spots.call_kernel};
    borrowed->back =
        last_call_frame(&call, &state, borrowed->frame, borrowed->spots.put_back, bytes, &size);
    if (!remote_write(borrowed->memory, borrowed->back, bytes, size))
        return -EIO;
    return lies_in_its_memory(borrowed, borrowed->back, bytes, size) ? 0 : -ESRCH;
}

int borrowed_begin(struct borrowed_thread *borrowed, struct stopped_thread thread,
                   const struct module_client *modules, const struct code_spots *spots)
{
    memset(borrowed, 0, offsetof(struct borrowed_thread, vectors));
    borrowed->thread = thread;
    borrowed->pid = modules->pid;
    borrowed->memory = modules->memory;
    borrowed->spots = *spots;
    borrowed->scratch = borrowed->errno_at = 0;
    borrowed->masked = false;
    int err = save(borrowed);
    if (err < 0)
        return err;
    err = in_restartable_sequence(borrowed) ? -EAGAIN : lay_frame(borrowed, modules);
    return err < 0 ? err : lay_first_frame(borrowed, modules);
}

/* It has ended, or is another program: nothing is put back. */
static int gone(struct borrowed_thread *borrowed, struct fault *fault)
{
    borrowed->thread.tid = 0;
    return fault_set(fault, -ESRCH, "process %d ended meanwhile", (int)borrowed->pid);
}

/* Its signals wait from the first thing it does for us: only then does the frame, which restores
 * the mask, count. */
static void hold_signals(struct borrowed_thread *borrowed)
{
    uint64_t const others = SIGNALS_HELD;
    if (!borrowed->masked)
        ptrace(PTRACE_SETSIGMASK, borrowed->thread.tid, sizeof(others), &others);
    borrowed->masked = true;
}

int borrowed_syscall(struct borrowed_thread *borrowed, long number, const uint64_t arguments[6],
                     int64_t *result, struct fault *fault)
{
    struct user_regs_struct registers = borrowed->saved;
    struct thread_run const run = {.tid = borrowed->thread.tid,
                                   .how = PTRACE_SYSCALL,
                                   .deadline_ns = monotonic_ns() + OP_WAIT_NS};
    enum happening happening = CALLS_KERNEL;
    registers_begin_call(&registers,
                         &(struct kernel_call){(uint64_t)number, arguments,
                                               borrowed->spots.call_kernel, borrowed->back});
    if (!thread_registers_set(borrowed->thread.tid, &registers))
        return gone(borrowed, fault);
    hold_signals(borrowed);
    while (happening == CALLS_KERNEL) {
        int err = thread_run(&run, &happening);
        if (err == -ETIMEDOUT)
            return fault_set(fault, err,
                             "thread %d of process %d waits in the kernel for longer than 10 s",
                             (int)borrowed->thread.tid, (int)borrowed->pid);
        if (err < 0)
            return gone(borrowed, fault);
    }
    if (happening == HAS_CRASHED)
        return fault_set(fault, -EFAULT, "process %d may not make the system call %ld",
                         (int)borrowed->pid, number);
    if (!thread_registers(borrowed->thread.tid, &registers))
        return gone(borrowed, fault);
    *result = registers_result(&registers);
    return 0;
}

static int map_scratch(struct borrowed_thread *borrowed, struct fault *fault)
{
    int64_t at, code;
    char hint[LIMIT_HINT_MAX];
    int err =
        borrowed_syscall(borrowed, SYS_mmap,
                         (uint64_t[6]){borrowed->room, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, ~0ull, 0},
                         &at, fault);
    if (err < 0)
        return err;
    if (at == -EEXIST)
        return fault_set(fault, -EAGAIN, "process %d has mapped memory meanwhile; try again",
                         (int)borrowed->pid);
    if (at < 0 && at > -4096) {
        limit_hint(borrowed->pid, hint, sizeof(hint));
        return fault_set(fault, (int)at, "process %d cannot map memory: %s%s", (int)borrowed->pid,
                         strerror((int)-at), hint);
    }
    borrowed->scratch = (uint64_t)at;
    err = borrowed_syscall(borrowed, SYS_mmap,
                           (uint64_t[6]){(uint64_t)at, PAGE, PROT_READ | PROT_EXEC,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, ~0ull, 0},
                           &code, fault);
    if (err == 0 && code != at)
        err = fault_set(
            fault, -EACCES,
            "process %d may not map executable memory (%s): its sandbox or security policy forbids "
            "what attaching needs; start it with memoir run instead",
            (int)borrowed->pid, strerror((int)-code));
    return err;
}

int borrowed_make_room(struct borrowed_thread *borrowed, uint64_t errno_location,
                       struct fault *fault)
{
    uint64_t at = 0;
    int err = map_scratch(borrowed, fault);
    if (err == 0 && !remote_write(borrowed->memory, borrowed->scratch, errand_code, ERRAND_BYTES))
        err =
            fault_set(fault, -EIO, "cannot write to the memory of process %d", (int)borrowed->pid);
    if (err == 0 && errno_location)
        err = borrowed_call(borrowed, errno_location, (uint64_t[3]){0}, &at, fault);
    if (err == 0 && at &&
        remote_read(borrowed->memory, at, &borrowed->errno_value, sizeof(int32_t)))
        borrowed->errno_at = at;
    return err;
}

uint64_t borrowed_data(const struct borrowed_thread *borrowed)
{
    return borrowed->scratch + PAGE;
}

uint64_t borrowed_cells(const struct borrowed_thread *borrowed)
{
    return borrowed->scratch + ERRAND_CELLS_AT;
}

struct borrowed_step borrowed_errand(const struct borrowed_thread *borrowed,
                                     const uint8_t *function, uint64_t argument)
{
    uint64_t const at = (uint64_t)((uintptr_t)function - (uintptr_t)errand_code);
    return (struct borrowed_step){borrowed->scratch + at, 0, {argument}};
}

static uint64_t steps_at(const struct borrowed_thread *borrowed)
{
    return borrowed->scratch + PAGE + BORROWED_DATA_BYTES;
}

void borrowed_tidy_later(struct borrowed_thread *borrowed, const struct borrowed_step *steps,
                         size_t count)
{
    struct {
        uint64_t count;
        struct borrowed_step steps[BORROWED_TIDY_MAX];
    } tidy = {.count = count};
    assert(count <= BORROWED_TIDY_MAX);
    if (count)
        memcpy(tidy.steps, steps, count * sizeof(*steps));
    remote_write(borrowed->memory, borrowed->scratch + ERRAND_TIDY_AT, &tidy, sizeof(tidy));
}

/* It waits for a lock that somebody else has.  It goes on alone, and back through the frame. */
static int leave_alone(struct borrowed_thread *borrowed, struct fault *fault)
{
    int status;
    pid_t tid = borrowed->thread.tid;
    ptrace(PTRACE_INTERRUPT, tid, 0, 0);
    if (thread_wait(tid, OP_WAIT_NS, &status) == 0)
        ptrace(PTRACE_DETACH, tid, 0, 0);
    borrowed->thread.tid = 0;
    return fault_set(fault, -ETIMEDOUT,
                     "thread %d of process %d has waited for a lock for more than 10 s, so memoir "
                     "released the thread; try again later",
                     (int)tid, (int)borrowed->pid);
}

static void fill_errand(const struct borrowed_thread *borrowed, size_t count,
                        struct user_regs_struct *registers)
{
    struct errand_start const errand = {.code = borrowed->scratch,
                                        .sp = borrowed->scratch + SCRATCH_BYTES - 64,
                                        .steps = steps_at(borrowed),
                                        .count = count,
                                        .frame = borrowed->frame,
                                        .call_kernel = borrowed->spots.call_kernel,
                                        .scratch = borrowed->scratch,
                                        .size = SCRATCH_BYTES};
    *registers = borrowed->saved;
    registers_begin_errand(registers, &errand);
}

int borrowed_run(struct borrowed_thread *borrowed, struct borrowed_step *steps, size_t count,
                 struct fault *fault)
{
    struct user_regs_struct registers;
    enum happening happening;
    assert(count <= BORROWED_STEPS_MAX);
    fill_errand(borrowed, count, &registers);
    if (!remote_write(borrowed->memory, steps_at(borrowed), steps, count * sizeof(*steps)) ||
        !thread_registers_set(borrowed->thread.tid, &registers))
        return gone(borrowed, fault);
    hold_signals(borrowed);
    struct thread_run const run = {.tid = borrowed->thread.tid,
                                   .how = PTRACE_CONT,
                                   .signal = ERRAND_SIGNAL,
                                   .report_at = borrowed->scratch + ERRAND_REPORTED_AT,
                                   .deadline_ns = monotonic_ns() + OP_WAIT_NS};
    int err = thread_run(&run, &happening);
    if (err == -ETIMEDOUT)
        return leave_alone(borrowed, fault);
    if (err < 0)
        return gone(borrowed, fault);
    if (happening == HAS_CRASHED) {
        thread_registers(borrowed->thread.tid, &registers);
        return fault_set(fault, -EFAULT,
                         "thread %d of process %d failed at 0x%llx while it worked for memoir",
                         (int)borrowed->thread.tid, (int)borrowed->pid,
                         (unsigned long long)registers_ip(&registers));
    }
    if (!remote_read(borrowed->memory, steps_at(borrowed), steps, count * sizeof(*steps)))
        return gone(borrowed, fault);
    return 0;
}

int borrowed_call(struct borrowed_thread *borrowed, uint64_t function, const uint64_t arguments[3],
                  uint64_t *result, struct fault *fault)
{
    struct borrowed_step step = {function, 0, {arguments[0], arguments[1], arguments[2]}};
    int err = borrowed_run(borrowed, &step, 1, fault);
    *result = step.number;
    return err;
}

/* Brings it to a stop where the kernel still looks at the system call it was waiting in, and at
 * its signals. */
static bool stop_at_rest(const struct borrowed_thread *borrowed)
{
    pid_t tid = borrowed->thread.tid;
    int status;
    if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) < 0 || ptrace(PTRACE_CONT, tid, 0, 0) < 0)
        return false;
    for (;;) {
        if (thread_wait(tid, OP_WAIT_NS, &status) < 0)
            return false;
        if (status >> 16 == PTRACE_EVENT_STOP)
            return true;
        if (ptrace(PTRACE_CONT, tid, 0, (unsigned long)WSTOPSIG(status)) < 0)
            return false;
    }
}

uint64_t borrowed_end(struct borrowed_thread *borrowed)
{
    pid_t const tid = borrowed->thread.tid;
    struct fault ignored;
    int64_t result;
    if (tid == 0)
        return monotonic_ns() - borrowed->thread.since_ns;
    if (borrowed->errno_at)
        remote_write(borrowed->memory, borrowed->errno_at, &borrowed->errno_value, sizeof(int32_t));
    borrowed->back = borrowed->frame;
    if (borrowed->scratch)
        borrowed_syscall(borrowed, SYS_munmap,
                         (uint64_t[6]){borrowed->scratch, SCRATCH_BYTES, 0, 0, 0, 0}, &result,
                         &ignored);
    if (borrowed->thread.tid == 0)
        return monotonic_ns() - borrowed->thread.since_ns;
    if (borrowed->masked && stop_at_rest(borrowed)) {
        /* In this order, should we die in between: the frame restores the mask, not what comes
         * after it. */
        ptrace(PTRACE_SETSIGMASK, tid, sizeof(borrowed->signal_mask), &borrowed->signal_mask);
        thread_vectors_set(tid, borrowed->vectors, borrowed->vectors_size);
        thread_registers_set(tid, &borrowed->saved);
    }
    return thread_release(&borrowed->thread);
}
