/* SPDX-License-Identifier: Apache-2.0 */
/* Code made at run time, as virtual machines do, on the way to malloc. keeps_frames: three
 * functions of it that keep frame pointers, 1000 times 10 bytes. uses_rbp: one that has
 * something else in rbp (an odd number, an address of data), 1000 times 20 bytes. never_known:
 * frame pointers that lead round and round in made code, 10 times 30 bytes. */
#include "subject.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* f(next, argument): calls next(argument). */
static const uint8_t keeping[] = {0x55, 0x48, 0x89, 0xe5, /* push %rbp; mov %rsp,%rbp */
                                  0x48, 0x89, 0xf8, 0x48,
                                  0x89, 0xf7,              /* mov %rdi,%rax; mov %rsi,%rdi */
                                  0xff, 0xd0, 0x5d, 0xc3}; /* call *%rax; pop %rbp; ret */
/* f(next, argument, junk): the same with junk in rbp. */
static const uint8_t using[] = {0x55, 0x48, 0x89, 0xd5, /* push %rbp; mov %rdx,%rbp */
                                0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3};

typedef void (*made)(void (*next)(void *), void *argument, uint64_t junk);
static made keeper, user;

static NOINLINE void allocate(void *size)
{
    void *volatile block = malloc((size_t)size);
    (void)block;
    KEEP_FRAME();
}

static void thrice(void *size);
static NOINLINE void keeps_frames(void)
{
    keeper(thrice, (void *)10, 0);
    KEEP_FRAME();
}

/* Made code calls made code: the pair is what a virtual machine's stack looks like. */
struct call {
    void (*next)(void *);
    void *argument;
};
static uint8_t *relay; /* f(call): calls call->next(call->argument) with a frame of its own */
static const uint8_t relaying[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8b, 0x07, /* mov (%rdi),%rax */
                                   0x48, 0x8b, 0x7f, 0x08,                   /* mov 8(%rdi),%rdi */
                                   0xff, 0xd0, 0x5d, 0xc3};

static void thrice(void *size)
{
    struct call inner = {allocate, size};
    struct call outer = {(void (*)(void *))(uintptr_t)relay, &inner};
    ((void (*)(void *))(uintptr_t)relay)(&outer);
    KEEP_FRAME();
}

static NOINLINE void uses_rbp(uint64_t junk)
{
    user(allocate, (void *)20, junk);
    KEEP_FRAME();
}

static NOINLINE void never_known(uint64_t *ring)
{
    user(allocate, (void *)30, (uint64_t)ring);
    KEEP_FRAME();
}

static uint8_t *make(uint8_t *at, const void *code, size_t size)
{
    memcpy(at, code, size);
    return at;
}

int main(void)
{
    uint8_t *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static uint64_t data[4];
    uint64_t ring[4];
    if (page == MAP_FAILED)
        return 77;
    keeper = (made)(uintptr_t)make(page, keeping, sizeof(keeping));
    user = (made)(uintptr_t)make(page + 64, using, sizeof(using));
    relay = make(page + 128, relaying, sizeof(relaying));
    for (int i = 0; i < 1000; i++) {
        keeps_frames();
        uses_rbp(i % 2 ? 12345 : (uint64_t)data);
    }
    /* On the stack, aligned, growing once: everything a frame pointer has, but no known code. */
    ring[0] = (uint64_t)&ring[2];
    ring[1] = ring[3] = (uint64_t)page + 200;
    ring[2] = (uint64_t)&ring[0];
    for (int i = 0; i < 10; i++)
        never_known(ring);
    say("made\n");
    return 0;
}
