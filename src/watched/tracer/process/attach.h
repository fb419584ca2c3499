/* attach.h - what the recorder calls in a program that runs already, after it has loaded
 * libmemoir.so there by dlopen.
 *
 * Both functions may be called on any thread that is not inside a hook of ours, while all the
 * others run and allocate at full speed.  They call no allocator, open nothing, keep errno, and
 * need 8 KiB of stack.  The only lock they wait for is the one of dl_iterate_phdr, which the
 * loader holds for moments only; the thread they run on must not hold it.  A library that was
 * only loaded does nothing: no call comes to it, whatever its symbols are. */
#pragma once

/* Maps the arena that `arena_fd` leads to and begins to trace.  The descriptor stays the
 * caller's, and may be closed afterwards.  `flags` are those of wire/arena.h.
 *
 * 0; -EBUSY: a recorder lives that traces this process already; -EAGAIN: not now, try again in a
 * moment; -EBADF, -EINVAL: that is no arena; -EPROTO: it is one of another version of memoir;
 * -ENOSYS: the libc is none that we know; -ENOTSUP: a sanitizer's allocator is in the program;
 * -EACCES: the tables of some library may not be changed; -ENOSPC: the arena's list of processes
 * is full; -ENOMEM.  After a failure nothing is traced.
 *
 * What a recorder that died has left behind is cleaned up first. */
long memoir_tracer_attach(int arena_fd, unsigned long flags);

/* Ends tracing, puts every address back, and unmaps the arena when no thread uses it any more.
 * All records of what happened before are in the arena then.  The library stays, for the next
 * time.
 *
 * 0, also when nothing was traced; -EAGAIN: tracing has ended, but a thread stands still in the
 * middle of writing, so the arena is still mapped; try again. */
long memoir_tracer_detach(unsigned long flags);
