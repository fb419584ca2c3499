/* cpu_options.h - how time is recorded: what memoir cpu, run and attach have in common. */
#pragma once

#include "capture/outside/outside_recorder.h"
#include "cpu/cpu_station.h"

/* A rate as people give it; NULL: CPU_HZ_DEFAULT.  0 or -ERANGE with a sentence. */
int cpu_options_hz(const char *text, uint32_t *hz, struct fault *fault);

/* "any", "agent" or "perf".  0 or -EINVAL with a sentence. */
int cpu_options_source(const char *text, enum cpu_source *source, struct fault *fault);

/* Says on stderr how much time was seen of what is recorded in `recording`, and how well. */
void cpu_options_say_end(const struct recording *recording);
