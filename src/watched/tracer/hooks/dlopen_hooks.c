/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/dlopen_hooks.h"

#include <stdbool.h>
#include <string.h>

#include "tracer/hooks/got_hooks.h"

void *dlopen_real, *dlsym_real;

/* A path says all; a bare name is looked for along the caller's own search path. */
static __attribute__((used)) bool is_all_said(const char *file)
{
    return !file || (strchr(file, '/') && !strchr(file, '$'));
}

static __attribute__((used)) void *open_and_look(const char *file, int mode)
{
    void *(*open)(const char *, int) = dlopen_real;
    void *handle = open(file, mode);
    hooks_extend();
    return handle;
}

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
    __asm__(SAVE_ARGUMENTS "call is_all_said\n\t" RESTORE_ARGUMENTS "test %al, %al\n\t"
                           "jne open_and_look\n\t"
                           "jmp *dlopen_real(%rip)");
}

__attribute__((naked)) void dlsym_hook(void)
{
    __asm__(SAVE_ARGUMENTS "call hooks_extend\n\t" RESTORE_ARGUMENTS "jmp *dlsym_real(%rip)");
}
