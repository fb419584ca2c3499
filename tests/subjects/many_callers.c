/* 58 functions of one frame size call one that touches a page, directly and through a few that
 * lie between, in any order: stacks that begin at the same instruction and the same rsp and
 * differ only in return addresses.  Touches 32768 pages for the line "touch" on standard input;
 * prints "touch", then one line "NAME PAGES" per function. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "subject.h"

#define CALLS 32768u
#define PAGE  4096ul
#define COUNT 58u

static char *next;
static unsigned touched[COUNT];

NOINLINE void touch_page(void)
{
    *(volatile char *)next = 1;
    next += PAGE;
    KEEP_FRAME();
}

/* Below the others: then it is not the first return address in which stacks differ. */
NOINLINE void between(void)
{
    touch_page();
    KEEP_FRAME();
}

/* Its frame is as large as that of `between`. */
NOINLINE void twice_between(void)
{
    between();
    KEEP_FRAME();
}

#define CALLER(n)                                                                                  \
    NOINLINE void caller_##n(unsigned number)                                                      \
    {                                                                                              \
        touched[number]++;                                                                         \
        twice_between();                                                                           \
        KEEP_FRAME();                                                                              \
    }
#define EIGHT(x, n) x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7)
#define ALL(x)                                                                                     \
    EIGHT(x, 1)                                                                                    \
    EIGHT(x, 2) EIGHT(x, 3) EIGHT(x, 4) EIGHT(x, 5) EIGHT(x, 6) EIGHT(x, 7) x(80) x(81)
ALL(CALLER)

#define ENTRY(n) {caller_##n, "caller_" #n},
static const struct {
    void (*call)(unsigned number);
    const char *name;
} callers[COUNT] = {ALL(ENTRY)};

/* Two ways to each. */
NOINLINE void by_day(unsigned number)
{
    callers[number].call(number);
    KEEP_FRAME();
}

NOINLINE void by_night(unsigned number)
{
    callers[number].call(number);
    KEEP_FRAME();
}

/* A large frame, so that a copy of the stack is as large as copies get. */
NOINLINE void touch_in_any_order(void)
{
    volatile char room[60000];
    uint64_t random = 88172645463325252ull;
    room[0] = room[sizeof(room) - 1] = 1;
    next = mmap(NULL, CALLS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (next == MAP_FAILED)
        return;
    madvise(next, CALLS * PAGE, MADV_NOHUGEPAGE);
    for (unsigned i = 0; i < CALLS; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 40 & 1 ? by_day : by_night)((unsigned)(random % COUNT));
    }
}

int main(void)
{
    char line[64];
    while (fgets(line, sizeof(line), stdin)) {
        touch_in_any_order();
        say("touch\n");
        for (unsigned i = 0; i < COUNT; i++)
            say("%s %u\n", callers[i].name, touched[i]);
    }
    return 0;
}
