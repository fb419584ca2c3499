/* executables.h - which programs are for this machine, and what names it has.
 *
 * Each machine/ARCHITECTURE/executables.h defines
 *   MACHINE_NAME         its name in uname and perf
 *   MACHINE_PROGRAMS     what memoir traces, in words
 *   MACHINE_ELF          e_machine of its files; MACHINE_ELF_32 of 32-bit ones that it runs, too
 *   MACHINE_LOADER       the beginning of the name of glibc's loader
 *   MACHINE_AUDIT        its name in seccomp filters
 *   MACHINE_SLOT, MACHINE_POINTER, MACHINE_WORD  relocations: the address of a function to call, of
 *                        a symbol, and of a symbol plus a constant */
#pragma once

#ifdef __x86_64__
#include "machine/x86_64/executables.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
