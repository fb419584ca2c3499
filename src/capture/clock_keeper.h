/* clock_keeper.h - keeps the arena's clock word fresh, about every 2 ms, while a program
 * allocates a lot.
 *
 * Then its threads need no time of their own for each event.  Else the word is 0 and they read it
 * themselves, which costs nothing at a low rate. */
#pragma once

#include <stdbool.h>

#include "capture/arena.h"

struct clock_keeper;

struct clock_keeper *clock_keeper_create(struct arena *arena); /* NULL: cannot */
void clock_keeper_destroy(struct clock_keeper *keeper);

void clock_keeper_run(struct clock_keeper *keeper, bool on);
