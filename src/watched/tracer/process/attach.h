/* attach.h - the functions that the recorder calls in a running program, after it has loaded
 * libmemoir.so there by dlopen.
 *
 * Both may be called on any thread that is not inside a hook of ours, while all other threads run
 * and allocate at full speed.  They call no allocator, open nothing, keep errno, and need 8 KiB of
 * stack.  The only lock that they wait for is that of dl_iterate_phdr, which the loader holds only
 * for moments; the calling thread must not hold it.  A library that was only loaded does nothing:
 * no call reaches it, whatever its symbols are. */
#pragma once

/* Maps the arena of `arena_fd` and begins to trace.  The caller keeps the descriptor, and may close
 * it afterwards.  `flags` are those of wire/arena.h.
 *
 * Returns 0; -EBUSY: a living recorder traces this process already; -EAGAIN: not now, try again in
 * a moment; -EBADF, -EINVAL: not an arena; -EPROTO: the arena of another version of memoir;
 * -ENOSYS: unknown libc; -ENOTSUP: the program has a sanitizer's allocator; -EACCES: the tables of
 * a library may not be changed; -ENOSPC: the arena's list of processes is full; -ENOMEM.  After a
 * failure nothing is traced.
 *
 * First cleans up what a recorder that died has left behind. */
long memoir_tracer_attach(int arena_fd, unsigned long flags);

/* Ends tracing, restores every address, and unmaps the arena once no thread uses it.  All records
 * of what happened before are then in the arena.  The library stays loaded, for the next time.
 *
 * Returns 0, also when nothing was traced; -EAGAIN: tracing has ended, but a thread has stopped in
 * the middle of writing, so the arena is still mapped: try again. */
long memoir_tracer_detach(unsigned long flags);
