/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/borrowed_thread.h"

#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "inject/put_back_frame.h"

#define OP_WAIT_NS  10000000000ull
#define STACK_BYTES (256u * 1024u)
#define PAGE        4096u
#define STEPS_BYTES 4096u
#define SCRATCH_BYTES                                                                              \
    (PAGE + BORROWED_DATA_BYTES + STEPS_BYTES + STACK_BYTES) /* code, data, steps, stack */
#define STACK_SPARE   (64u * 1024u) /* below the frame, for whatever signals the thread gets later */
#define FLAGS_CLEARED 0x10500ull    /* resume, direction, trap */

/* What it executes for us: the steps, one after the other (rbx: the next one, rbp: how many are left).  Then it sends
 * itself a signal that programs ignore, at which we stop it and take over.  If we are gone it goes on: does what is left
 * to tidy up (once), gives the scratch memory back (r14, r15) and returns through the frame on its own stack (r12,
 * r13: syscall; ret). */
extern const uint8_t errand_code[], errand_reported[], errand_end[];
__asm__(".pushsection .rodata\n"
        "errand_code:\n"
        "1:  test %ebp, %ebp\n"
        "    jz 4f\n"
        "    mov 16(%rbx), %rdi\n"
        "    mov 24(%rbx), %rsi\n"
        "    mov 32(%rbx), %rdx\n"
        "    mov 40(%rbx), %rcx\n"
        "    mov 48(%rbx), %r8\n"
        "    mov 56(%rbx), %r9\n"
        "    mov (%rbx), %rax\n"
        "    test %rax, %rax\n"
        "    jnz 2f\n"
        "    mov 8(%rbx), %rax\n"
        "    mov %rcx, %r10\n"
        "    syscall\n"
        "    jmp 3f\n"
        "2:  call *%rax\n"
        "3:  mov %rax, 8(%rbx)\n"
        "    add $64, %rbx\n"
        "    dec %ebp\n"
        "    jmp 1b\n"
        "4:  mov $39, %eax\n" /* getpid */
        "    syscall\n"
        "    mov %rax, %rdi\n"
        "    mov $186, %eax\n" /* gettid */
        "    syscall\n"
        "    mov %rax, %rsi\n"
        "    mov $28, %edx\n"  /* SIGWINCH */
        "    mov $234, %eax\n" /* tgkill */
        "    syscall\n"
        "errand_reported:\n"
        "    xor %ebp, %ebp\n"
        "    xchg 0x2800(%r14), %ebp\n" /* TIDY_AT */
        "    lea 0x2808(%r14), %rbx\n"
        "    test %ebp, %ebp\n"
        "    jnz 1b\n"
        "    mov %r12, %rsp\n"
        "    mov %r14, %rdi\n"
        "    mov %r15, %rsi\n"
        "    mov $11, %eax\n" /* munmap */
        "    jmp *%r13\n"
        "errand_end:\n"
        ".popsection");
#define REPORT_SIGNAL SIGWINCH

#define TIDY_AT (PAGE + BORROWED_DATA_BYTES + STEPS_BYTES / 2) /* a count, then steps */

_Static_assert(sizeof(struct borrowed_step) == 64 && TIDY_AT == 0x2800, "as the code above has it");
_Static_assert(BORROWED_STEPS_MAX * sizeof(struct borrowed_step) <= STEPS_BYTES / 2, "they fit");

static bool set_registers(const struct borrowed_thread *borrowed,
                          const struct user_regs_struct *registers)
{
    return ptrace(PTRACE_SETREGS, borrowed->thread.tid, 0, registers) == 0;
}

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
    return borrowed->saved.rip - start_and_length[0] < start_and_length[1];
}

static int save(struct borrowed_thread *borrowed)
{
    pid_t tid = borrowed->thread.tid;
    struct iovec vectors = {borrowed->vectors, sizeof(borrowed->vectors)};
    if (ptrace(PTRACE_GETREGS, tid, 0, &borrowed->saved) < 0 ||
        ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &vectors) < 0 ||
        ptrace(PTRACE_GETSIGMASK, tid, sizeof(borrowed->signal_mask), &borrowed->signal_mask) < 0)
        return errno == ESRCH ? -ESRCH : -EIO;
    borrowed->vectors_size = vectors.iov_len;
    return 0;
}

/* A wait that was interrupted before goes by the name of restart_syscall, which works only as long as nobody else
 * needs the kernel's note of it.  Which call it was stands in the code: mov $number, %eax; ...; syscall. */
static uint64_t waiting_call(const struct borrowed_thread *borrowed)
{
    uint8_t code[32];
    const struct user_regs_struct *saved = &borrowed->saved;
    if (saved->orig_rax != SYS_restart_syscall ||
        !remote_read(borrowed->memory, saved->rip - 2 - sizeof(code), code, sizeof(code)))
        return saved->orig_rax;
    for (size_t i = sizeof(code) - 5 + 1; i-- > 0;) {
        uint32_t number;
        memcpy(&number, code + i + 1, sizeof(number));
        if (code[i] == 0xb8 && (number == SYS_clock_nanosleep || number == SYS_nanosleep ||
                                number == SYS_poll || number == SYS_futex))
            return number;
    }
    return saved->orig_rax;
}

/* Lays down what puts the thread back without us. */
static int lay_frame(struct borrowed_thread *borrowed, const struct target_modules *modules)
{
    uint8_t bytes[PUT_BACK_MAX];
    size_t size;
    struct put_back_state state = {borrowed->saved, borrowed->signal_mask, borrowed->vectors,
                                   borrowed->vectors_size};
    state.registers.orig_rax = waiting_call(borrowed);
    const struct map_region *stack = map_list_find(&modules->maps, borrowed->saved.rsp);
    borrowed->frame = put_back_frame(&state, borrowed->spots.put_back, bytes, &size);
    if (!borrowed->frame)
        return -EIO;
    if (!stack || !stack->writable || borrowed->frame - stack->start < STACK_SPARE ||
        borrowed->frame < stack->start)
        return -EAGAIN;
    return remote_write(borrowed->memory, borrowed->frame, bytes, size) ? 0 : -EIO;
}

int borrowed_begin(struct borrowed_thread *borrowed, pid_t pid, struct stopped_thread thread,
                   const struct target_modules *modules, const struct code_spots *spots)
{
    memset(borrowed, 0, offsetof(struct borrowed_thread, vectors));
    borrowed->thread = thread;
    borrowed->pid = pid;
    borrowed->memory = modules->memory;
    borrowed->spots = *spots;
    borrowed->scratch = borrowed->errno_at = 0;
    borrowed->masked = false;
    int err = save(borrowed);
    if (err < 0)
        return err;
    return in_restartable_sequence(borrowed) ? -EAGAIN : lay_frame(borrowed, modules);
}

static int gone(const struct borrowed_thread *borrowed, struct fault *fault)
{
    return fault_set(fault, -ESRCH, "process %d ended meanwhile", (int)borrowed->pid);
}

/* Its signals wait from the first thing it does for us: only then does the frame, which restores the mask, count. */
static void hold_signals(struct borrowed_thread *borrowed)
{
    uint64_t others = ~(1ull << (REPORT_SIGNAL - 1));
    if (!borrowed->masked)
        ptrace(PTRACE_SETSIGMASK, borrowed->thread.tid, sizeof(others), &others);
    borrowed->masked = true;
}

enum happening { CALLS_KERNEL, LEFT_KERNEL, HAS_REPORTED, HAS_CRASHED };

static bool is_crash(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
           signal == SIGTRAP || signal == SIGSYS;
}

static bool has_reported(const struct borrowed_thread *borrowed)
{
    struct user_regs_struct registers;
    return thread_registers(borrowed->thread.tid, &registers) &&
           registers.rip == borrowed->scratch + (uint64_t)(errand_reported - errand_code);
}

/* Lets it run: with PTRACE_SYSCALL to the next system call's entry or exit, with PTRACE_CONT to its report; or to a
 * crash. */
static int run_on(struct borrowed_thread *borrowed, int how, uint64_t deadline_ns,
                  enum happening *happening)
{
    pid_t tid = borrowed->thread.tid;
    unsigned long deliver = 0;
    int request = how, status;
    for (;;) {
        uint64_t now = monotonic_ns();
        if (ptrace(request, tid, 0, deliver) < 0)
            return -ESRCH;
        int err = thread_wait(tid, deadline_ns > now ? deadline_ns - now : 0, &status);
        if (err < 0)
            return err;
        int signal = WSTOPSIG(status);
        request = how;
        deliver = 0;
        if (status >> 16 == PTRACE_EVENT_STOP) {
            if (signal != SIGTRAP)
                request = PTRACE_LISTEN; /* somebody stops the whole process: so it shall stand */
            continue;
        }
        if (signal == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info info;
            if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) < 0)
                return -ESRCH;
            *happening = info.op == PTRACE_SYSCALL_INFO_ENTRY ? CALLS_KERNEL : LEFT_KERNEL;
            return 0;
        }
        if (is_crash(signal) ||
            (signal == REPORT_SIGNAL && borrowed->scratch && has_reported(borrowed))) {
            *happening = is_crash(signal) ? HAS_CRASHED : HAS_REPORTED;
            return 0;
        }
        deliver = (unsigned long)signal;
    }
}

int borrowed_syscall(struct borrowed_thread *borrowed, long number, const uint64_t arguments[6],
                     int64_t *result, struct fault *fault)
{
    struct user_regs_struct registers = borrowed->saved;
    uint64_t deadline = monotonic_ns() + OP_WAIT_NS;
    enum happening happening = CALLS_KERNEL;
    registers.rip = borrowed->spots.call_kernel;
    registers.rsp = borrowed->frame;
    registers.orig_rax = ~0ull;
    registers.rax = (uint64_t)number;
    registers.rdi = arguments[0];
    registers.rsi = arguments[1];
    registers.rdx = arguments[2];
    registers.r10 = arguments[3];
    registers.r8 = arguments[4];
    registers.r9 = arguments[5];
    registers.eflags &= ~FLAGS_CLEARED;
    if (!set_registers(borrowed, &registers))
        return gone(borrowed, fault);
    hold_signals(borrowed);
    while (happening == CALLS_KERNEL) {
        int err = run_on(borrowed, PTRACE_SYSCALL, deadline, &happening);
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
    *result = (int64_t)registers.rax;
    return 0;
}

static int map_scratch(struct borrowed_thread *borrowed, struct fault *fault)
{
    int64_t at, code;
    int err = borrowed_syscall(borrowed, SYS_mmap,
                               (uint64_t[6]){0, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0},
                               &at, fault);
    if (err < 0)
        return err;
    if (at < 0 && at > -4096)
        return fault_set(fault, (int)at,
                         "process %d cannot map memory: %s; see its limits (ulimit -v)",
                         (int)borrowed->pid, strerror((int)-at));
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
    if (err == 0 && !remote_write(borrowed->memory, borrowed->scratch, errand_code,
                                  (size_t)(errand_end - errand_code)))
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
    remote_write(borrowed->memory, borrowed->scratch + TIDY_AT, &tidy, sizeof(tidy));
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
                     "thread %d of process %d waits for a lock for longer than 10 s; it was left "
                     "alone and goes on "
                     "by itself; try again later",
                     (int)tid, (int)borrowed->pid);
}

static void fill_errand(const struct borrowed_thread *borrowed, size_t count,
                        struct user_regs_struct *registers)
{
    *registers = borrowed->saved;
    registers->rip = borrowed->scratch;
    registers->rsp = borrowed->scratch + SCRATCH_BYTES - 64;
    registers->orig_rax = ~0ull;
    registers->rbx = steps_at(borrowed);
    registers->rbp = count;
    registers->r12 = borrowed->frame;
    registers->r13 = borrowed->spots.call_kernel;
    registers->r14 = borrowed->scratch;
    registers->r15 = SCRATCH_BYTES;
    registers->eflags &= ~FLAGS_CLEARED;
}

int borrowed_run(struct borrowed_thread *borrowed, struct borrowed_step *steps, size_t count,
                 struct fault *fault)
{
    struct user_regs_struct registers;
    enum happening happening;
    assert(count <= BORROWED_STEPS_MAX);
    fill_errand(borrowed, count, &registers);
    if (!remote_write(borrowed->memory, steps_at(borrowed), steps, count * sizeof(*steps)) ||
        !set_registers(borrowed, &registers))
        return gone(borrowed, fault);
    hold_signals(borrowed);
    int err = run_on(borrowed, PTRACE_CONT, monotonic_ns() + OP_WAIT_NS, &happening);
    if (err == -ETIMEDOUT)
        return leave_alone(borrowed, fault);
    if (err < 0)
        return gone(borrowed, fault);
    if (happening == HAS_CRASHED) {
        thread_registers(borrowed->thread.tid, &registers);
        return fault_set(fault, -EFAULT,
                         "thread %d of process %d failed at 0x%llx while it worked for memoir",
                         (int)borrowed->thread.tid, (int)borrowed->pid, registers.rip);
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

/* Brings it to a stop where the kernel still looks at the system call it was waiting in, and at its signals. */
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
    pid_t tid = borrowed->thread.tid;
    struct fault ignored;
    int64_t result;
    struct iovec vectors = {borrowed->vectors, borrowed->vectors_size};
    if (tid == 0)
        return monotonic_ns() - borrowed->thread.since_ns;
    if (borrowed->errno_at)
        remote_write(borrowed->memory, borrowed->errno_at, &borrowed->errno_value, sizeof(int32_t));
    if (borrowed->scratch)
        borrowed_syscall(borrowed, SYS_munmap,
                         (uint64_t[6]){borrowed->scratch, SCRATCH_BYTES, 0, 0, 0, 0}, &result,
                         &ignored);
    if (borrowed->masked && stop_at_rest(borrowed)) {
        /* In this order, should we die in between: the frame restores the mask, not what comes after it. */
        ptrace(PTRACE_SETSIGMASK, tid, sizeof(borrowed->signal_mask), &borrowed->signal_mask);
        ptrace(PTRACE_SETREGSET, tid, NT_X86_XSTATE, &vectors);
        ptrace(PTRACE_SETREGS, tid, 0, &borrowed->saved);
    }
    return thread_release(&borrowed->thread);
}
