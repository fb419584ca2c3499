/* confinement.h - a recorder that was started with rights gives them up before it reads anything
 * that the watched program wrote.
 *
 * Keepers (keeper/keeper.h) do what needs rights later.  The recorder then has a user of its own,
 * and no files but those that it is given; of the machine it can read only the folders of cgroups
 * and the pressure. */
#pragma once

#include <stdbool.h>

#include "capture/outputs/output_place.h"
#include "capture/rings/arena.h"
#include "capture/sessions/recorder.h"

/* Returns whether a recorder with these options gives up its rights: it is not asked for anything
 * that keepers cannot do yet (pages, CPU time), and they may do all that it could: those of an
 * ordinary user may not where Yama is on. */
bool confinement_is_due(const struct recorder_options *options);

/* Forks the keepers.  From then on, other processes open the arena through them. */
int confinement_prepare(struct arena *arena, const struct output_place *place, const char *output,
                        struct fault *fault);
/* Gives up the rights for ever; `program` is the recorded process.  Returns 0; or -errno with
 * `fault`, and then the recorder is not confined. */
int confinement_enter(pid_t program, bool is_started, struct fault *fault);
