/* told.h - what the program tells through memoir.h, and through heaptrack's names for it.
 *
 * memoir.h leaves one pointer in each program and library that includes it, and a note that says
 * where. Setting the pointers switches the calls on.  A library that is loaded later has its
 * pointer set by the loader when our library is in its sight, as it is when preloaded; attached,
 * told_join must run again. */
#pragma once

/* Sets the pointers of all that is loaded and was not seen before. */
void told_join(void);
/* Takes them back: the calls are empty again.  One that is under way still ends in our code. */
void told_part(void);

/* Nothing is known of any block; for the next recording. */
void told_forget(void);
