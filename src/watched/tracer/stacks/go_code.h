/* go_code.h - whether code belongs to a Go program or library. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool go_code_at(uint64_t pc);
