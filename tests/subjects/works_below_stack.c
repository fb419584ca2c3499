/* SPDX-License-Identifier: Apache-2.0 */
/* works_below_stack SECONDS: works in a function that has where it returns to below its stack
 * pointer, and nowhere else, as SHA-512 of OpenSSL has. */
#include "cpu_subject.h"

void spin_below(uint64_t turns);
__asm__(".text\n.globl spin_below\n.type spin_below, @function\nspin_below:\n\t.cfi_startproc\n"
        "\tmov %rsp, -8(%rsp)\n"
        "\t.cfi_escape 0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8\n" /* CFA: *(rsp - 8) + 8 */
        "1:\tdec %rdi\n\tjnz 1b\n\tret\n\t.cfi_endproc\n.size spin_below, . - spin_below\n");

static NOINLINE void calls_spin_below(void)
{
    spin_below(1000000);
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    uint64_t const until =
        now_ns(CLOCK_MONOTONIC) + (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) * 1000000000u;
    while (now_ns(CLOCK_MONOTONIC) < until)
        calls_spin_below();
    return 0;
}
