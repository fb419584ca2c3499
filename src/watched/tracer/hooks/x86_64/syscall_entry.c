/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/syscall_entry.h"

#include <sys/syscall.h>

#define TEXT(x)    TEXT_OF(x)
#define TEXT_OF(x) #x

__attribute__((naked, visibility("default"))) long syscall(long number __attribute__((unused)), ...)
{
    __asm__("cmp $" TEXT(__NR_seccomp) ", %rdi\n\t"
                                       "je confining_call\n\t"
                                       "cmp $" TEXT(__NR_prctl) ", %rdi\n\t"
                                                                "je confining_call\n\t"
                                                                "mov %rdi, %rax\n\t"
                                                                "mov %rsi, %rdi\n\t"
                                                                "mov %rdx, %rsi\n\t"
                                                                "mov %rcx, %rdx\n\t"
                                                                "mov %r8, %r10\n\t"
                                                                "mov %r9, %r8\n\t"
                                                                "mov 8(%rsp), %r9\n\t"
                                                                "syscall\n\t"
                                                                "cmp $-4095, %rax\n\t"
                                                                "jae 1f\n\t"
                                                                "ret\n"
                                                                "1:\n\t"
                                                                "mov %rax, %rdi\n\t"
                                                                "jmp failed_call");
}
