/* got_hooks.h - leads the calls of a running program to our hooks, and back.
 *
 * Every object calls functions of others through addresses that the loader put into its tables.
 * Those that lead to the program's allocator (and a few more, see the table) are replaced, each
 * by one aligned store, while the program runs.  An address that leads elsewhere is left alone:
 * to another allocator that some library has for itself.  One that was not looked up yet, for
 * its function was never called, is replaced as well; put back, it leads to the function at
 * once.
 *
 * Not led here: addresses that the program has copied elsewhere, what dlsym returns, and calls
 * that never went through a table.  Code that has copied the address of a hook may use it for
 * ever. */
#pragma once

#include <stdbool.h>

/* In every object that is loaded, and in later ones: before their first instruction runs where
 * the loader lets us know, else see dlopen_hooks.h.  `with_exec`: also where programs become
 * others.  0; or -ENOSYS (no libc that we know), -EACCES (a table may not be changed), and
 * nothing is hooked. */
int hooks_install(bool with_exec);

/* In every object that is loaded then.  Safe when nothing is installed. */
void hooks_remove(void);

/* In libraries that have come since, if hooks are installed. */
void hooks_extend(void) __attribute__((visibility("hidden")));
