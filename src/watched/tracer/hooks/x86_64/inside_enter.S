/* SPDX-License-Identifier: Apache-2.0 */
/* inside_enter.S - from a function of the program's allocator to its hook in C.
 *
 * r11 is the entry; everything else is as the caller left it.  A call that the allocator makes to itself, below a hook
 * that is busy, goes on to the function at once; only flags, r10 and r11 differ then.  An exception that passes through (a
 * failing operator new) makes the unwinder call inside_personality, which ends the busy state. */
#include "tracer/hooks/inside.h"

        .text
        .globl inside_enter
        .hidden inside_enter
        .type inside_enter, @function
        .p2align 4
inside_enter:
        .cfi_startproc
        .cfi_personality 0x1b, inside_personality
        movq    tracer_self@gottpoff(%rip), %r10
        cmpl    $0, %fs:INSIDE_THREAD_BUSY(%r10)
        jne     .Lbusy
.Lhook:
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %r9
        pushq   %r8
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        movq    %rsp, %rdi
        movq    %r11, %rsi
        movq    %rbp, %rdx
        call    *INSIDE_ENTRY_HOOK(%r11)
        leave
        .cfi_remember_state
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_restore_state
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
.Lbusy: /* outward of the busy hook, or on another stack: that needs a closer look */
        cmpq    %fs:INSIDE_THREAD_BUSY_FRAME(%r10), %rsp
        ja      .Lhook
        jmp     *INSIDE_ENTRY_ORIGINAL(%r11)
        .cfi_endproc
        .size inside_enter, . - inside_enter
        .section .note.GNU-stack, "", @progbits
