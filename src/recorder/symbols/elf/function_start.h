/* function_start.h - where the function begins that holds an address, known without any name:
 * unwind tables say it. */
#pragma once

#include <stdint.h>

#include "symbols/elf/elf_view.h"

/* The address of its first instruction, or 0 when the tables have no function there. */
uint64_t function_start_find(const struct elf_view *view, uint64_t address);
