/* SPDX-License-Identifier: Apache-2.0 */
/* burns_made_code SECONDS [map]: code made at run time, with frame pointers, calls a function
 * that works.  With `map`: its name is in /tmp/perf-PID.map, as virtual machines do it. */
#include "cpu_subject.h"

#include <fcntl.h>
#include <sys/mman.h>

/* f(next, argument): calls next(argument). */
static const uint8_t keeping[] = {0x55, 0x48, 0x89, 0xe5, /* push %rbp; mov %rsp,%rbp */
                                  0x48, 0x89, 0xf8, 0x48,
                                  0x89, 0xf7,              /* mov %rdi,%rax; mov %rsi,%rdi */
                                  0xff, 0xd0, 0x5d, 0xc3}; /* call *%rax; pop %rbp; ret */
/* f(count): counts down in a loop of its own. */
static const uint8_t looping[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, /* dec %rdi */
                                  0x75, 0xfb, 0x5d, 0xc3};                  /* jnz; pop; ret */

typedef void (*made)(void (*next)(void *), void *argument);
typedef void (*counter)(uint64_t count);

static uint64_t until;
static counter counts;

static NOINLINE void called_by_made(void *argument)
{
    (void)argument;
    while (now_ns(CLOCK_MONOTONIC) < until) {
        spin(500);
        counts(200000);
    }
    KEEP_FRAME();
}

static NOINLINE void calls_made(made code)
{
    code(called_by_made, NULL);
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    char path[64], line[128];
    uint8_t *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    memcpy(memory, keeping, sizeof(keeping));
    memcpy(memory + 256, looping, sizeof(looping));
    mprotect(memory, 4096, PROT_READ | PROT_EXEC);
    counts = (counter)(uintptr_t)(memory + 256);
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
    int const map = argc > 2 ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    int const length = snprintf(line, sizeof(line), "%llx 100 made::relay\n%llx 100 made::counts\n",
                                (unsigned long long)(uintptr_t)memory,
                                (unsigned long long)(uintptr_t)memory + 256);
    if (map >= 0 && write(map, line, (size_t)length) != length)
        return 1;
    say_and_wait("ready");
    until = now_ns(CLOCK_MONOTONIC) + (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) * 1000000000u;
    calls_made((made)(uintptr_t)memory);
    say_and_wait("done");
    if (map >= 0)
        unlink(path);
    return 0;
}
