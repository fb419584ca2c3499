/* Touches pages, each from a call stack of its own, or all from one: a step for each line on
 * standard input; prints when it is done.  The stacks differ in nothing but return addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE   4096ul
#define LEVELS 15
#define DEEP   (48u << 10)
#define STACKS (1u << LEVELS)
#define AGAIN  8192u /* pages that are touched, given back, and touched again */
#define ROUNDS 61u   /* so often: 499,712 faults */

static volatile char *memory;
static volatile unsigned calls; /* so that no call is the last thing a function does */

static void descend(unsigned path, int level);

__attribute__((noinline)) static void go_left(unsigned path, int level)
{
    descend(path, level);
    calls++;
}

__attribute__((noinline)) static void go_right(unsigned path, int level)
{
    descend(path, level);
    calls += 2;
}

__attribute__((noinline)) static void descend(unsigned path, int level)
{
    if (level == LEVELS)
        memory[path * PAGE] = 1;
    else if (path >> level & 1)
        go_right(path, level + 1);
    else
        go_left(path, level + 1);
    calls++;
}

__attribute__((noinline)) static void touch_from_everywhere(void)
{
    volatile char large[DEEP]; /* makes a copy of the stack costly */
    for (unsigned at = 0; at < DEEP; at += PAGE)
        large[at] = (char)calls;
    for (unsigned path = 0; path < STACKS; path++)
        descend(path, 0);
    calls += large[0];
}

__attribute__((noinline)) static void touch_again_and_again(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        madvise((char *)memory, AGAIN * PAGE, MADV_DONTNEED);
        for (unsigned page = 0; page < AGAIN; page++)
            memory[page * PAGE] = 1;
    }
}

int main(void)
{
    char line[32];
    memory = mmap(NULL, STACKS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    madvise((char *)memory, STACKS * PAGE, MADV_NOHUGEPAGE);
    setvbuf(stdin, NULL, _IONBF, 0);
    while (fgets(line, sizeof(line), stdin)) {
        if (strcmp(line, "flood\n") == 0)
            touch_from_everywhere();
        if (strcmp(line, "again\n") == 0)
            touch_again_and_again();
        printf("%s", line);
        fflush(stdout);
    }
    return 0;
}
