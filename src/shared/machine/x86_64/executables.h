/* executables.h - x86-64. */
#pragma once

#include <elf.h>
#include <linux/audit.h>

#define MACHINE_NAME     "x86_64"
#define MACHINE_PROGRAMS "64-bit x86 programs"
#define MACHINE_ELF      EM_X86_64
#define MACHINE_ELF_32   EM_386
#define MACHINE_LOADER   "ld-linux-x86-64"
#define MACHINE_AUDIT    AUDIT_ARCH_X86_64
#define MACHINE_SLOT     R_X86_64_JUMP_SLOT
#define MACHINE_POINTER  R_X86_64_GLOB_DAT
#define MACHINE_WORD     R_X86_64_64
