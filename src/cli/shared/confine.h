/* confine.h - a command that reads what strangers wrote first gives up all else
 * (sandbox/sandbox.h).
 *
 * The command says what it will read and where its answer goes, then enters the sandbox, and only
 * then opens its input.  What it still needs of the outside, a look at the names of functions or a
 * PNG, a broker does (broker.h). */
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

/* A file, a folder with all in it, or a pipe, which is copied now; what is not there is none.  A
 * recording is replaced by a coarser copy while it grows: its folder is readable, too. */
void confine_read(const char *path);

/* A folder of which all is read. */
void confine_read_folder(const char *path);

/* The folder of a run, or of a database, that is also written to. */
void confine_folder(const char *path);

/* Where an answer will be: files can be made and replaced in its folder, for a new one takes the
 * place of the old when it is whole.  NULL and "-": standard output. */
void confine_write(const char *path);

/* Enters the sandbox, for all that comes; a second time changes nothing.  A layer that this machine
 * does not have is missing without a word here: memoir doctor names it. */
void confine_enter(enum confine_kind kind);
bool confine_has_entered(void);

/* The usual: one or two inputs (NULL: none) and one output. */
void confine_to(const char *input, const char *other_input, const char *output,
                enum confine_kind kind);
