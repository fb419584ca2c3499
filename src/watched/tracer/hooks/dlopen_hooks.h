/* dlopen_hooks.h - notices new libraries if the loader itself does not report them (glibc 2.37 and
 * later): when dlopen returns, or when one of their symbols is looked up.  By then their
 * constructors have run. */
#pragma once

/* Replace dlopen and dlsym.  The result of these depends on the object that calls them: on its
 * search path and its place in the order of objects.  So if a frame of ours would change the
 * result, the hooks jump to the real functions instead of calling them. */
void dlopen_hook(void);
void dlsym_hook(void);

/* The real functions. */
extern void *dlopen_real __attribute__((visibility("hidden")));
extern void *dlsym_real __attribute__((visibility("hidden")));
