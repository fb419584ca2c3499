/* confinement.h - a recorder that was started with rights gives them up before it reads anything
 * that the watched program wrote.
 *
 * What needs rights later is done by keepers (keeper/keeper.h).  The recorder has a user of its own
 * then, and no files but those that it is given; of the machine it can read the folders of cgroups
 * and the pressure. */
#pragma once

#include <stdbool.h>

#include "capture/outputs/output_place.h"
#include "capture/rings/arena.h"
#include "capture/sessions/recorder.h"

/* Whether a recorder with these options gives its rights up: started by root, and nothing is asked
 * of it that keepers do not do yet (pages, CPU time, alerts, history, serving). */
bool confinement_is_due(const struct recorder_options *options);

/* Forks the keepers.  The arena is known to others by them from then on. */
int confinement_prepare(struct arena *arena, const struct output_place *place, const char *output,
                        struct fault *fault);
/* With the program that is recorded: for ever.  0 or -errno with `fault`, and then it is not. */
int confinement_enter(pid_t program, bool is_started, struct fault *fault);
