/* registers.h - the registers that a stack walk follows, by their numbers in unwind tables.
 *
 * Each machine/ARCHITECTURE/registers.h defines
 *   REG_SP, REG_FP  the stack pointer, the frame pointer
 *   REG_IP          the column of the return address; in the innermost frame, the instruction
 *   REG_COUNT       the number of registers that are followed, from 0 on
 *   RED_ZONE_BYTES  size of the memory below the stack pointer that still belongs to a function
 *                   which calls no other (the red zone of the ABI): some functions (of OpenSSL)
 *                   keep the address of their caller's frame there
 * and numbers (DWARF_...) for the other files of that architecture. */
#pragma once

#if defined(__x86_64__) || defined(__TARGET_ARCH_x86) /* the latter for BPF programs */
#include "machine/x86_64/registers.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
