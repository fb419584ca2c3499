/* SPDX-License-Identifier: Apache-2.0 */
/* Brings a malloc whose free cannot be hooked: it branches back to its first bytes. */
#include <stddef.h>
#include <sys/mman.h>

#include "../subject.h"

static char *heap;
static size_t used;

void *malloc(size_t size)
{
    if (!heap)
        heap = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *block = heap + used;
    used += (size + 15) & ~15ul;
    return block;
}

void free(void *block);
__asm__(".text\n"
        ".globl free\n"
        ".type free, @function\n"
        "free: xor %eax, %eax\n"
        "1: test %edi, %edi\n"
        "   je 2f\n"
        "   shr %edi\n"
        "   jmp 1b\n"
        "2: ret\n"
        ".size free, . - free\n");

NOINLINE void do_everything(void)
{
    for (size_t i = 1; i <= 1000; i++) {
        char *volatile block = malloc(i);
        *block = 1;
        free(block);
    }
    KEEP_FRAME();
}

int main(void)
{
    do_everything();
    say("done\n");
    return 0;
}
