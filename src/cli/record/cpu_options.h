/* cpu_options.h - how time is recorded: what memoir cpu, run and attach have in common. */
#pragma once

#include "capture/outside/outside_recorder.h"
#include "cpu/cpu_station.h"

/* Says on stderr how much time was seen of what is recorded in `recording`, and how well. */
void cpu_options_say_end(const struct recording *recording);
