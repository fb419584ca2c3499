/* told.h - what the program tells through memoir.h, or through heaptrack's names for that.
 *
 * memoir.h puts one pointer into each program and library that includes it, and a note that says
 * where it is.  Setting the pointers switches the calls on.  In a library that is loaded later, the
 * loader sets the pointer if it finds our library, as it does when that is preloaded; if attached,
 * told_join must be called again. */
#pragma once

/* Sets the pointers in all loaded objects that were not seen before. */
void told_join(void);
/* Resets the pointers: the calls do nothing again.  A call that is under way still ends in our
 * code. */
void told_part(void);

/* Forgets all blocks, for the next recording. */
void told_forget(void);
