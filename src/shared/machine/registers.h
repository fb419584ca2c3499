/* registers.h - the registers that a walk follows, by their numbers in unwind tables.
 *
 * Each machine/ARCHITECTURE/registers.h defines
 *   REG_SP, REG_FP  the stack pointer, the frame pointer
 *   REG_IP          the column of the return address; in the innermost frame, the instruction
 *   REG_COUNT       how many are followed, from 0 on
 *   RED_ZONE_BYTES  below the stack pointer that still belong to a function that calls no other
 *                   (the red zone of the ABI): some functions (of OpenSSL) keep the address of
 *                   their caller's frame there
 * and numbers of its own (DWARF_...) for the other files of that architecture. */
#pragma once

#if defined(__x86_64__) || defined(__TARGET_ARCH_x86) /* the latter for BPF programs */
#include "machine/x86_64/registers.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
