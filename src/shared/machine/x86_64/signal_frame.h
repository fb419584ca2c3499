/* signal_frame.h - x86-64: r8 ... r15 rdi rsi rbp rbx rdx rax rcx rsp rip, as in sigcontext. */
#pragma once

#include "machine/registers.h"

#define SIGNAL_WORDS_AT 40u
#define SIGNAL_FP_WORD  10u
#define SIGNAL_SP_WORD  15u
#define SIGNAL_IP_WORD  16u
#define SIGNAL_ORDER                                                                               \
    {                                                                                              \
        8, 9, 10, 11, DWARF_R12, DWARF_R13, DWARF_R14, DWARF_R15, 5, 4, REG_FP, DWARF_RBX, 1, 0,   \
            2, REG_SP, REG_IP                                                                      \
    }
