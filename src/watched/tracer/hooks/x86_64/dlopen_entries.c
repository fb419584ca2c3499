/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/dlopen_entries.h"

/* Three words leave the stack aligned for a call. */
#define SAVE_ARGUMENTS                                                                             \
    "push %rdi\n\t.cfi_adjust_cfa_offset 8\n\t"                                                    \
    "push %rsi\n\t.cfi_adjust_cfa_offset 8\n\t"                                                    \
    "push %rdx\n\t.cfi_adjust_cfa_offset 8\n\t"
#define RESTORE_ARGUMENTS                                                                          \
    "pop %rdx\n\t.cfi_adjust_cfa_offset -8\n\t"                                                    \
    "pop %rsi\n\t.cfi_adjust_cfa_offset -8\n\t"                                                    \
    "pop %rdi\n\t.cfi_adjust_cfa_offset -8\n\t"

__attribute__((naked)) void dlopen_hook(void)
{
    __asm__(SAVE_ARGUMENTS "call dlopen_is_all_said\n\t" RESTORE_ARGUMENTS "test %al, %al\n\t"
                           "jne dlopen_and_look\n\t"
                           "jmp *dlopen_real(%rip)");
}

__attribute__((naked)) void dlsym_hook(void)
{
    __asm__(SAVE_ARGUMENTS "call hooks_extend\n\t" RESTORE_ARGUMENTS "jmp *dlsym_real(%rip)");
}
