/* call_code.h - finds out which system call the code before an instruction makes, if the kernel
 * itself only says restart_syscall.  (In ARCHITECTURE/call_code.c.) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of bytes that the functions need, just before the instruction that follows the system
 * call. */
#define CALL_CODE_BYTES   34u
#define CALL_CODE_NEAREST 7u

/* Returns the last of some numbers that the code uses as the number of its call; -1 if it uses none
 * of them. */
int64_t call_code_find(const uint8_t code[CALL_CODE_BYTES], const uint32_t *numbers, size_t count);

/* Returns the number that the code sets right before the call; -1 if it sets none there. */
int64_t call_code_nearest(const uint8_t code[CALL_CODE_NEAREST]);
