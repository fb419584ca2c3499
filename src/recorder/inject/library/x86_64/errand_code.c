/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/errand_code.h"

/* rbx: the next step, rbp: how many are left; r14, r15: the scratch memory and its size; r12: the
 * frame to go back through; r13: syscall; ret. */

__asm__(".pushsection .rodata\n"
        ".globl errand_code, errand_reported, errand_make_pair, errand_close, errand_create, "
        "errand_end\n"
        ".hidden errand_code, errand_reported, errand_make_pair, errand_close, errand_create, "
        "errand_end\n"
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
        "errand_make_pair:\n"
        "    push %rdi\n"
        "    sub $16, %rsp\n"
        "    mov $1, %edi\n"       /* AF_UNIX */
        "    mov $0x80002, %esi\n" /* SOCK_DGRAM | SOCK_CLOEXEC */
        "    xor %edx, %edx\n"
        "    mov %rsp, %r10\n"
        "    mov $53, %eax\n" /* socketpair, which may write numbers and fail then */
        "    syscall\n"
        "    mov (%rsp), %rdx\n"
        "    add $16, %rsp\n"
        "    pop %rdi\n"
        "    test %rax, %rax\n"
        "    jnz 5f\n"
        "    mov %rdx, (%rdi)\n"
        "5:  ret\n"
        "errand_close:\n"
        "    mov $-1, %eax\n"
        "    xchg (%rdi), %eax\n"
        "    test %eax, %eax\n"
        "    js 6f\n"
        "    mov %eax, %edi\n"
        "    mov $3, %eax\n" /* close */
        "    syscall\n"
        "6:  ret\n"
        "errand_create:\n"
        "    push %rdi\n"
        "    mov 8(%rdi), %rsi\n"
        "    mov $-100, %rdi\n"    /* AT_FDCWD */
        "    mov $0xa00c1, %edx\n" /* O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC */
        "    mov $0x140, %r10d\n"  /* 0500 */
        "    mov $257, %eax\n"     /* openat */
        "    syscall\n"
        "    pop %rdi\n"
        "    test %rax, %rax\n"
        "    js 7f\n"
        "    mov %eax, (%rdi)\n"
        "7:  ret\n"
        "errand_end:\n"
        ".popsection");
