/* broker.h - what a confined command needs done outside of its sandbox.
 *
 * A child that was forked before does it when asked: starts `memoir-record names` or `memoir-png`
 * with descriptors that come along, or opens an ELF file that the input names.  It takes messages
 * of fixed size, looks at nothing that a stranger wrote, and ends with the command. */
#pragma once

#include <stdbool.h>

/* Before broker_begin: a PNG may be made in the folder of `path`. */
void broker_allow_png(const char *path);

/* Starts the child, and from then on names and files are looked up by it.  Without one they are
 * not, and the answer says so. */
void broker_begin(void);

/* Whether a child is there, and this process so cannot start programs by itself. */
bool broker_has_begun(void);

/* Has a PNG made of the SVG that comes from `input`: starts memoir-png and returns at once, 0 or
 * -errno. */
int broker_start_png(int input, const char *path);

/* Waits for the program that was started last: its wait status, or -errno. */
int broker_wait(void);
