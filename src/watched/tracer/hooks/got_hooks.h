/* got_hooks.h - directs the calls of a running program to our hooks, and back.
 *
 * Every object calls functions of other objects through addresses that the loader put into its
 * tables.  Addresses of the program's allocator (and of a few more functions, see the table in
 * got_hooks.c) are replaced, each by one aligned store, while the program runs.  An address of
 * another function stays, e.g. of an allocator that a library has for itself.  An address that was
 * not looked up yet, because its function was never called, is replaced, too; hooks_remove sets it
 * to the function itself.
 *
 * Not directed to our hooks: addresses that the program has copied elsewhere, results of dlsym, and
 * calls that never used a table.  Code that has copied the address of a hook may use it for
 * ever. */
#pragma once

#include <stdbool.h>

/* Hooks every loaded object, and later ones: before their first instruction runs if the loader
 * reports them, else see dlopen_hooks.h.  Returns 0; or -ENOSYS (unknown libc) or -EACCES (a
 * table may not be changed), and then nothing is hooked. */
int hooks_install(void);

/* Unhooks every object that is then loaded.  Does nothing if no hooks are installed. */
void hooks_remove(void);

/* Hooks libraries that were loaded since, if hooks are installed. */
void hooks_extend(void) __attribute__((visibility("hidden")));
