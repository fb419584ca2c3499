/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/errand_code.h"

__asm__(".pushsection .rodata\n"
        ".globl errand_code, errand_reported, errand_end\n"
        ".hidden errand_code, errand_reported, errand_end\n"
        "errand_code:\n"
        "1:  test %ebp, %ebp\n"
        "    jz 4f\n"
        "    mov 16(%rbx), %rdi\n"
        "    mov 24(%rbx), %rsi\n"
        "    mov 32(%rbx), %rdx\n"
        "    mov 40(%rbx), %rcx\n"
        "    mov 48(%rbx), %r8\n"
        "    mov 56(%rbx), %r9\n"
        "    mov (%rbx), %rax\n"
        "    test %rax, %rax\n"
        "    jnz 2f\n"
        "    mov 8(%rbx), %rax\n"
        "    mov %rcx, %r10\n"
        "    syscall\n"
        "    jmp 3f\n"
        "2:  call *%rax\n"
        "3:  mov %rax, 8(%rbx)\n"
        "    add $64, %rbx\n"
        "    dec %ebp\n"
        "    jmp 1b\n"
        "4:  mov $39, %eax\n" /* getpid */
        "    syscall\n"
        "    mov %rax, %rdi\n"
        "    mov $186, %eax\n" /* gettid */
        "    syscall\n"
        "    mov %rax, %rsi\n"
        "    mov $28, %edx\n"  /* SIGWINCH */
        "    mov $234, %eax\n" /* tgkill */
        "    syscall\n"
        "errand_reported:\n"
        "    xor %ebp, %ebp\n"
        "    xchg 0x2800(%r14), %ebp\n" /* TIDY_AT */
        "    lea 0x2808(%r14), %rbx\n"
        "    test %ebp, %ebp\n"
        "    jnz 1b\n"
        "    mov %r12, %rsp\n"
        "    mov %r14, %rdi\n"
        "    mov %r15, %rsi\n"
        "    mov $11, %eax\n" /* munmap */
        "    jmp *%r13\n"
        "errand_end:\n"
        ".popsection");
