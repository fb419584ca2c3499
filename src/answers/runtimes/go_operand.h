/* go_operand.h - which global variable an instruction of a Go program names.
 * (ARCHITECTURE/go_operand.c) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes of such an instruction. */
#define GO_OPERAND_BYTES 7u

/* The address that 64-bit moves, additions, compares and address loads name by its distance from
 * the instruction, which lies at `address`.  false when the bytes are none of these; bytes that
 * only look like one give a wrong address. */
bool go_operand(const uint8_t bytes[GO_OPERAND_BYTES], uint64_t address, uint64_t *target);
