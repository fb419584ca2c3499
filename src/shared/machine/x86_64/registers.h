/* registers.h - x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15 rip. */
#pragma once

enum {
    DWARF_RBX = 3,
    REG_FP = 6,
    REG_SP = 7,
    DWARF_R12 = 12,
    DWARF_R13 = 13,
    DWARF_R14 = 14,
    DWARF_R15 = 15,
    REG_IP = 16,
    REG_COUNT = 17
};

#define RED_ZONE_BYTES 128u
