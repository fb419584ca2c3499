/* SPDX-License-Identifier: Apache-2.0 */
/* turns_setuid VICTIM: executes VICTIM, a copy of this program that is set-user-ID, at the moment
 * at which a recorder that attaches has it call a function.  VICTIM crashes at once; it says so if
 * it goes on instead where this program stood, for then the one who traced it wrote our registers
 * into a program of root's.  Linked without PIE, so that both have the same addresses. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u

static int is_victim;
static char *victim;
static const char taken[] = "taken over\n";

static long call_kernel(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

static void become_victim(void)
{
    static char *arguments[2], *environment[1];
    arguments[0] = victim;
    call_kernel(SYS_execve, (long)victim, (long)arguments, (long)environment);
    call_kernel(SYS_exit_group, 77, 0, 0);
}

/* Uses neither stack nor thread storage: it may not be the ones it knows. */
static void wait_for_it(void)
{
    static struct timespec nap = {0, 1000000};
    for (;;) {
        call_kernel(SYS_nanosleep, (long)&nap, 0, 0);
        if (is_victim) {
            call_kernel(SYS_write, 1, (long)taken, sizeof(taken) - 1);
            call_kernel(SYS_exit_group, 0, 0, 0);
        }
    }
}

/* movabs $function, %rax; jmp *%rax */
static int replace(void *function, void (*with)(void))
{
    uint8_t code[12] = {0x48, 0xb8, [10] = 0xff, 0xe0};
    uintptr_t const page = (uintptr_t)function & ~(uintptr_t)(PAGE - 1);
    memcpy(code + 2, &with, sizeof(with));
    if (mprotect((void *)page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
        return -1;
    memcpy(function, code, sizeof(code));
    return 0;
}

int main(int argc, char **argv)
{
    if (geteuid() != getuid()) {
        is_victim = 1;
        *(volatile int *)(uintptr_t)8 = 0;
    }
    void *function = dlsym(RTLD_DEFAULT, "__errno_location");
    if (argc < 2 || !function)
        return 2;
    victim = argv[1];
    puts("ready");
    fflush(stdout);
    if (replace(function, become_victim) < 0)
        return 2;
    wait_for_it();
}
