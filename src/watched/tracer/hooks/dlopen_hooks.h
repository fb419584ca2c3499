/* dlopen_hooks.h - notices new libraries where the loader itself gives no sign of them (glibc
 * 2.37 and later): when dlopen returns, or when a symbol of them is asked for.  Their
 * constructors have run by then. */
#pragma once

/* As dlopen and dlsym.  What those do depends on where they are called from: on that object's
 * search path, its place in the order of objects.  So these are no functions of ours around the
 * real ones, if that would show. */
void dlopen_hook(void);
void dlsym_hook(void);

/* Where they lead to. */
extern void *dlopen_real __attribute__((visibility("hidden")));
extern void *dlsym_real __attribute__((visibility("hidden")));
