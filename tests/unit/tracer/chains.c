/* SPDX-License-Identifier: Apache-2.0 */
#include "chains.h"

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_SIZE (256 * 1024)
/* ASan does not know these stacks: what a longjmp leaves there stays poisoned. */
#if defined(__SANITIZE_ADDRESS__)
#define NO_CONTEXTS 1
#else
#define NO_CONTEXTS 0
#endif

static void go_on(struct chain *chain);

uint64_t chain_draw(struct chain *chain, uint64_t limit)
{
    chain->random ^= chain->random << 13;
    chain->random ^= chain->random >> 7;
    chain->random ^= chain->random << 17;
    return (chain->random >> 11) % limit;
}

CHAIN static void plain(struct chain *chain)
{
    go_on(chain);
    AFTER();
}

CHAIN static void twice(struct chain *chain)
{
    go_on(chain);
    go_on(chain);
    AFTER();
}

CHAIN static void many_registers(struct chain *chain)
{
    uint64_t a = chain_draw(chain, 9), b = chain_draw(chain, 9), c = chain_draw(chain, 9),
             d = chain_draw(chain, 9), e = chain_draw(chain, 9), f = chain_draw(chain, 9);
    go_on(chain);
    __asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
    chain->random += a + b * c + d * e - f;
}

CHAIN static void big_frame(struct chain *chain)
{
    volatile char room[5000];
    room[chain_draw(chain, sizeof(room))] = 1;
    go_on(chain);
    AFTER();
}

CHAIN static void with_alloca(struct chain *chain)
{
    volatile char *room = alloca(16 + chain_draw(chain, 3000));
    room[0] = 1;
    go_on(chain);
    AFTER();
}

CHAIN static void realigned(struct chain *chain)
{
    _Alignas(64) volatile char room[192];
    room[chain_draw(chain, sizeof(room))] = 1;
    go_on(chain);
    AFTER();
}

CHAIN static void realigned_with_alloca(struct chain *chain)
{
    _Alignas(128) volatile char room[256];
    volatile char *more = alloca(16 + chain_draw(chain, 500));
    more[0] = room[chain_draw(chain, sizeof(room))] = 1;
    go_on(chain);
    AFTER();
}

CHAIN static void many_arguments(int a, int b, int c, int d, int e, int f, int g,
                                 struct chain *chain)
{
    go_on(chain);
    __asm__ volatile("" ::"r"(a + b + c), "r"(d + e + f + g));
}

CHAIN static void calls_many_arguments(struct chain *chain)
{
    many_arguments(1, 2, 3, 4, 5, 6, 7, chain);
    AFTER();
}

CHAIN WITH_RBP static void by_rbp(struct chain *chain)
{
    go_on(chain);
    AFTER();
}

CHAIN WITH_RBP static void by_rbp_twice(struct chain *chain)
{
    volatile char room[64];
    room[chain_draw(chain, sizeof(room))] = 1;
    go_on(chain);
    go_on(chain);
    AFTER();
}

/* Uses rbp for something else, so that its callers' frame must come from where it was saved. */
CHAIN static void rbp_is_data(struct chain *chain)
{
    uint64_t saved;
    __asm__ volatile("mov %%rbp, %0" : "=r"(saved)::"memory");
    go_on(chain);
    __asm__ volatile("" ::"r"(saved));
}

/* A frame that begins at rbx, as some hand-written code has it: every register must be followed. */
__asm__(".text\n"
        ".type chain_by_rbx, @function\n"
        "chain_by_rbx:\n"
        ".cfi_startproc\n"
        "push %rbx\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbx, -16\n"
        "mov %rsp, %rbx\n"
        ".cfi_def_cfa_register %rbx\n"
        "sub $200, %rsp\n"
        "and $-64, %rsp\n"
        "call *%rsi\n"
        "mov %rbx, %rsp\n"
        ".cfi_def_cfa_register %rsp\n"
        "pop %rbx\n"
        ".cfi_def_cfa_offset 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size chain_by_rbx, . - chain_by_rbx\n");
void chain_by_rbx(struct chain *chain, chain_fn next);

CHAIN static void through_rbx(struct chain *chain)
{
    chain_by_rbx(chain, go_on);
    AFTER();
}

static __thread struct chain *sorting;

static int compare(const void *left, const void *right)
{
    if (sorting) {
        struct chain *chain = sorting;
        sorting = NULL;
        go_on(chain);
    }
    return (*(const int *)left > *(const int *)right) - (*(const int *)left < *(const int *)right);
}

CHAIN static void through_qsort(struct chain *chain)
{
    int numbers[8] = {4, 2, 7, 1, 8, 3, 5, 6};
    sorting = chain;
    qsort(numbers, 8, sizeof(int), compare);
    AFTER();
}

CHAIN static void through_bsearch(struct chain *chain)
{
    int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8}, key = 3;
    sorting = chain;
    AFTER();
    if (!bsearch(&key, numbers, 8, sizeof(int), compare))
        abort();
}

static __thread struct chain *interrupted;

static void handle(int number)
{
    struct chain *chain = interrupted;
    (void)number;
    interrupted = NULL;
    if (chain)
        go_on(chain);
    AFTER();
}

CHAIN static void through_signal(struct chain *chain)
{
    interrupted = chain;
    raise(SIGUSR1);
    AFTER();
}

CHAIN static void through_altstack(struct chain *chain)
{
    if (chain->altstacks)
        return plain(chain);
    stack_t stack = {.ss_sp = malloc(STACK_SIZE), .ss_size = STACK_SIZE}, old;
    if (!stack.ss_sp || sigaltstack(&stack, &old) < 0)
        abort();
    chain->altstacks++;
    interrupted = chain;
    raise(SIGUSR2);
    chain->altstacks--;
    sigaltstack(&old, NULL);
    free(stack.ss_sp);
}

static __thread struct chain *entering;

static void enter_context(void)
{
    go_on(entering);
    AFTER();
}

CHAIN static void through_context(struct chain *chain)
{
    ucontext_t home, away;
    if (NO_CONTEXTS || chain->contexts || chain->altstacks)
        return plain(chain);
    void *stack = malloc(STACK_SIZE);
    if (!stack || getcontext(&away) < 0)
        abort();
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = STACK_SIZE;
    away.uc_link = &home;
    makecontext(&away, enter_context, 0);
    chain->contexts++;
    entering = chain;
    swapcontext(&home, &away);
    chain->contexts--;
    free(stack);
}

/* A function that is interrupted at its very first instruction, right behind one whose frame is
 * another: who looks one byte back, as for a return address, goes astray. */
__asm__(".text\n"
        "chain_before_trap:\n"
        ".cfi_startproc\n"
        ".cfi_def_cfa_offset 4096\n"
        "nop\n"
        ".cfi_endproc\n"
        ".type chain_trap, @function\n"
        "chain_trap:\n"
        ".cfi_startproc\n"
        "ud2\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size chain_trap, . - chain_trap\n");
void chain_trap(void);

static void handle_trap(int number, siginfo_t *info, void *context)
{
    handle(number);
    (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2; /* over the ud2 */
}

CHAIN static void through_trap(struct chain *chain)
{
    interrupted = chain;
    chain_trap();
    AFTER();
}

CHAIN static void jump_out(struct chain *chain, jmp_buf *out)
{
    volatile char room[512];
    room[chain_draw(chain, sizeof(room))] = 1;
    if (chain->hooks_left)
        chain->hook(chain);
    longjmp(*out, 1);
}

CHAIN static void through_longjmp(struct chain *chain)
{
    jmp_buf out;
    if (setjmp(out) == 0)
        jump_out(chain, &out);
    go_on(chain);
    AFTER();
}

static const chain_fn shapes[] = {
    plain,           twice,          many_registers,        big_frame,
    with_alloca,     realigned,      realigned_with_alloca, calls_many_arguments,
    by_rbp,          by_rbp_twice,   rbp_is_data,           through_qsort,
    through_bsearch, through_signal, through_altstack,      through_context,
    through_longjmp, through_trap,   chain_shift,           chain_shift,
    plain,           by_rbp,         many_registers,        through_rbx,
};

static void go_on(struct chain *chain)
{
    unsigned calls = (unsigned)chain_draw(chain, 4);
    chain->depth++;
    for (unsigned i = 0; i < calls && chain->hooks_left; i++) {
        if (chain_draw(chain, 3) == 0) {
            chain->hooks_left--;
            chain->hook(chain);
        } else if (chain->depth < chain->max_depth) {
            shapes[chain_draw(chain, sizeof(shapes) / sizeof(shapes[0]))](chain);
        }
    }
    chain->depth--;
}

void chain_run(struct chain *chain, uint64_t seed)
{
    chain->random = seed * 0x9e3779b97f4a7c15ull | 1;
    while (chain->hooks_left)
        go_on(chain);
}

CHAIN void chain_recurse(struct chain *chain, unsigned depth)
{
    if (depth == 0)
        chain->hook(chain);
    else
        chain_recurse(chain, depth - 1);
    AFTER();
}

#define STEP(n)                                                                                    \
    CHAIN static void step_##n(struct chain *chain, unsigned depth, unsigned also_at)              \
    {                                                                                              \
        chain_descend(chain, depth, also_at);                                                      \
        __asm__ volatile("# %0" ::"i"(n) : "memory"); /* or they would all be one */               \
    }
#define STEPS(n) STEP(n##0) STEP(n##1) STEP(n##2) STEP(n##3) STEP(n##4) STEP(n##5) STEP(n##6)
#define NAMES(n)                                                                                   \
    step_##n##0, step_##n##1, step_##n##2, step_##n##3, step_##n##4, step_##n##5, step_##n##6
/* clang-format off */
STEPS(1)
STEPS(2)
STEPS(3)
STEPS(4)
STEPS(5)
/* clang-format on */

CHAIN void chain_descend(struct chain *chain, unsigned depth, unsigned also_at)
{
    static void (*const steps[])(struct chain *, unsigned,
                                 unsigned) = {NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5)};
    if (depth == 0 || depth == also_at)
        chain->hook(chain);
    if (depth > 0)
        steps[depth % (sizeof(steps) / sizeof(steps[0]))](chain, depth - 1, also_at);
    AFTER();
}

void chain_prepare(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags |= SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    struct sigaction trap = {.sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGILL, &trap, NULL);
}

bool chain_in_child(bool (*works)(void))
{
    pid_t const child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* the test runner has handlers of its own */
        signal(SIGBUS, SIG_DFL);
        _exit(works() ? 0 : 1);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}
