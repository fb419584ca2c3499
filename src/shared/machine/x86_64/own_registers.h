/* own_registers.h - x86-64. */
#pragma once

#include <stdint.h>

#include "machine/registers.h"

static inline __attribute__((always_inline)) void own_registers(uint64_t registers[REG_COUNT])
{
    __asm__ volatile("mov %%rbx, %0\n\tmov %%rbp, %1\n\tmov %%r12, %2\n\tmov %%r13, %3\n\t"
                     "mov %%r14, %4\n\tmov %%r15, %5\n\tmov %%rsp, %6\n\tlea 0(%%rip), %%rax\n\t"
                     "mov %%rax, %7"
                     : "=m"(registers[DWARF_RBX]), "=m"(registers[REG_FP]),
                       "=m"(registers[DWARF_R12]), "=m"(registers[DWARF_R13]),
                       "=m"(registers[DWARF_R14]), "=m"(registers[DWARF_R15]),
                       "=m"(registers[REG_SP]), "=m"(registers[REG_IP])
                     :
                     : "rax");
}
