/* go_code.h - tells whether code belongs to a Go program or library. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool go_code_at(uint64_t pc);
