/* call_code.h - which system call the code before an instruction makes, where the kernel itself
 * calls that only restart_syscall.  (ARCHITECTURE/call_code.c) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes before the instruction that follows the system call, for each of these. */
#define CALL_CODE_BYTES   34u
#define CALL_CODE_NEAREST 7u

/* The last of some numbers that the code takes for the number of its call.  -1 when it takes none
 * of them. */
int64_t call_code_find(const uint8_t code[CALL_CODE_BYTES], const uint32_t *numbers, size_t count);

/* The number that the code takes right before the call.  -1 when it takes none there. */
int64_t call_code_nearest(const uint8_t code[CALL_CODE_NEAREST]);
