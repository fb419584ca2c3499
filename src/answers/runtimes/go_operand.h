/* go_operand.h - which global variable an instruction of a Go program uses; one source per kind of
 * processor. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Size of such an instruction. */
#define GO_OPERAND_BYTES 7u

/* Finds the address that a 64-bit move, addition, compare or address load uses, relative to the
 * instruction itself, which lies at `address`.  Returns false if the bytes are no such instruction;
 * other bytes that look like one give a wrong address. */
bool go_operand(const uint8_t bytes[GO_OPERAND_BYTES], uint64_t address, uint64_t *target);
