/* open_input.h - FILE of any command into a recording: one of ours, another program's file, or the folder of a run.
 *
 * One table in the source lists the readers, each with how to tell its files by their first bytes.
 */
#pragma once

#include "model/recording.h"
#include "report/rows/selection.h"

/* What a path leads to, as far as its first bytes say. */
enum input_kind {
    INPUT_RECORDING, /* also one that is still empty */
    INPUT_FOREIGN, /* what open_input reads at once: other programs' files, packed ones, pipes; or says why it does not */
    INPUT_RUN,     /* a folder */
    INPUT_HISTORY, /* SQLite */
};
/* -errno with a sentence when it cannot be read at all. */
int input_kind_of(const char *path, struct fault *fault);

/* NULL with a sentence in `fault`.  The caller destroys. */
struct recording *open_input(const char *path, struct fault *fault);
/* The same where --node and --kind may have chosen from a run. */
struct recording *open_selected_input(const char *path, const struct selection *selection,
                                      struct fault *fault);
