/* confine.h - confines a command that reads files of strangers, before it reads them
 * (sandbox/sandbox.h).
 *
 * The command names its inputs and the place of its answer, enters the sandbox, and only then opens
 * its inputs.  A broker (broker.h) does what the sandbox forbids, such as looking up names of
 * functions, or making a PNG. */
#pragma once

#include <stdbool.h>

#include "base/fault.h"

/* What a kind of command needs beyond its input and its output; the table is in confine.c. */
enum confine_kind {
    CONFINE_READER,   /* nothing */
    CONFINE_GRAPH,    /* graphviz: its plugins and the fonts */
    CONFINE_PICTURES, /* starts memoir-graph, again and again */
    CONFINE_PNG,      /* librsvg: fonts, and character sets */
    CONFINE_SERVER,   /* answers requests; threads, which start later */
};

/* Allows reading `path`: a file, a folder with everything in it, or a pipe, which is copied now.  A
 * missing path is ignored.  The folder of a recording can be read, too, because a growing recording
 * is sometimes replaced by a coarser copy. */
void confine_read(const char *path);

/* Allows reading everything in a folder. */
void confine_read_folder(const char *path);

/* Allows reading and writing in a folder, for runs and databases. */
void confine_folder(const char *path);

/* Allows an answer at `path`: files can be created and replaced in its folder, because a complete
 * new file replaces the old one.  NULL and "-" mean standard output. */
void confine_write(const char *path);

/* Enters the sandbox, for the rest of the process; a second call changes nothing.  Prints nothing
 * about layers that this machine lacks: memoir doctor names them. */
void confine_enter(enum confine_kind kind);
bool confine_has_entered(void);

/* The usual case: allows one or two inputs (NULL: none) and one output, then enters the sandbox. */
void confine_to(const char *input, const char *other_input, const char *output,
                enum confine_kind kind);
