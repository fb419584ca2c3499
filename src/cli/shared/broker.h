/* broker.h - a helper process that does for a confined command what its sandbox forbids.
 *
 * The helper is a child, forked before the command enters the sandbox.  It starts `memoir-record
 * names` or `memoir-png` with descriptors that the command sends, and opens ELF files that the
 * input names.  It takes messages of fixed size, reads nothing that a stranger wrote, and ends with
 * the command. */
#pragma once

#include <stdbool.h>

/* Allows a PNG in the folder of `path`.  Call it before broker_begin. */
void broker_allow_png(const char *path);

/* Forks the helper.  From then on the helper looks up names and opens files.  If the fork fails,
 * nobody does, and the answer says so. */
void broker_begin(void);

/* Returns whether there is a helper: this process cannot start programs by itself then. */
bool broker_has_begun(void);

/* Has the helper start memoir-png, which makes a PNG of the SVG that comes from `input`.  Does not
 * wait for it.  Returns 0 or -errno. */
int broker_start_png(int input, const char *path);

/* Waits for the program that was started last.  Returns its wait status, or -errno. */
int broker_wait(void);
