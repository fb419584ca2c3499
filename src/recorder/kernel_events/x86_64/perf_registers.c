/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_events/perf_registers.h"

#include <asm/perf_regs.h>

const uint64_t perf_registers_mask = (1ull << PERF_REG_X86_AX) | (1ull << PERF_REG_X86_BX) |
                                     (1ull << PERF_REG_X86_CX) | (1ull << PERF_REG_X86_DX) |
                                     (1ull << PERF_REG_X86_SI) | (1ull << PERF_REG_X86_DI) |
                                     (1ull << PERF_REG_X86_BP) | (1ull << PERF_REG_X86_SP) |
                                     (1ull << PERF_REG_X86_IP) | (0xffull << PERF_REG_X86_R8);

const uint8_t perf_registers_order[REG_COUNT] = {0,  3, 2,  1,  4,  5,  6,  7,
                                                 16, /* ax bx cx dx si di bp sp ip */
                                                 8,  9, 10, 11, 12, 13, 14, 15};
