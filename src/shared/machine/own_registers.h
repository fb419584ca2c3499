/* own_registers.h - the registers of the calling function.
 *
 * Each machine/ARCHITECTURE/own_registers.h defines void own_registers(uint64_t
 * registers[REG_COUNT]), which sets the registers that a walk from the calling function outward
 * needs, and leaves the others unchanged.  It is always inlined: REG_IP is an instruction of the
 * caller. */
#pragma once

#ifdef __x86_64__
#include "machine/x86_64/own_registers.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
