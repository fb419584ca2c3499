/* goroutine_rest.h - how long to leave a Go program in peace after a goroutine profile: taking
 * one stops the program for as long as it has goroutines. */
#pragma once

#define GOROUTINES_MANY      10000u
#define GOROUTINE_RESTS_MOST 60u

/* Ticks to leave out after the goroutine profile `name` in `folder`: none below GOROUTINES_MANY,
 * then one per so many. */
unsigned goroutine_rests(int folder, const char *name);
