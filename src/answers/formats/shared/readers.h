/* readers.h - the functions that recognise and read files of other programs. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"
#include "model/recording.h"

/* Returns whether `head`, the first unpacked bytes of a file (64 are enough), begins a heaptrack
 * file. */
bool heaptrack_recognise(struct slice head);

/* Reads a heaptrack file, raw or interpreted, format 0 to 3, plain or packed.  Memory does not grow
 * with the number of events.  If a file is cut off or damaged, a note says up to which line it was
 * read.  Frames of a raw file have modules and addresses, but no names.  Returns NULL with a
 * sentence if nothing can be read. */
struct recording *heaptrack_read(const char *path, struct fault *fault);
/* Like heaptrack_read, from memory, for fuzzing and tests. */
struct recording *heaptrack_read_bytes(const void *data, size_t size, struct fault *fault);

/* Recognise and read perf.data: files and what perf writes to a pipe, packed or not, complete or
 * cut off.  Copied stacks are walked with the binaries of this machine, if they are the ones that
 * ran.  Frames have modules and addresses; frames in the kernel also have names, if the same kernel
 * runs here.  Memory does not grow with the file. */
bool perf_data_recognise(struct slice head);
struct recording *perf_data_read(const char *path, struct fault *fault);
struct recording *perf_data_read_bytes(const void *data, size_t size, struct fault *fault);

/* Returns whether this is massif.out as written by massif, xtree (--xtree-memory with a name that
 * ends in .ms) or heaptrack_print; 4096 bytes are enough. */
bool massif_recognise(struct slice head);
/* Reads massif.out, plain or packed.  Every snapshot ends a bucket; snapshots with a tree have call
 * sites, others have one sum under UNTOLD_FRAME.  Notes say what is not known.  Returns NULL with a
 * sentence. */
struct recording *massif_read(const char *path, struct fault *fault);
struct recording *massif_read_bytes(const void *data, size_t size, struct fault *fault);

/* Returns whether this is callgrind.out as written by callgrind, cachegrind, xtree (--xtree-memory)
 * and others; 4096 bytes are enough. */
bool callgrind_recognise(struct slice head);
/* Reads callgrind.out, plain or packed, with all its parts.  Own costs are exact, by function and
 * line.  A stack has the functions that are on every path to a function (docs/formats.md).  Returns
 * NULL with a sentence. */
struct recording *callgrind_read(const char *path, struct fault *fault);
struct recording *callgrind_read_bytes(const void *data, size_t size, struct fault *fault);

/* Returns whether this is a file that pprof reads: profile.proto, plain or in one more layer of
 * gzip, and the older forms of Go, gperftools and jemalloc; 4096 bytes are enough. */
bool pprof_recognise(struct slice head);
/* Reads a profile.  Values are exactly those of the file; sample types that memoir does not know
 * become metrics of the recording's own.  Frames without names have modules and addresses.  Returns
 * NULL with a sentence. */
struct recording *pprof_recording_read(const char *path, struct fault *fault);
struct recording *pprof_recording_read_bytes(const void *data, size_t size, struct fault *fault);
/* Sets whether profiles that are read from now on keep the labels of their samples, so that an
 * export can write them.  Labels take as much memory as the samples.  The default is not to keep
 * them. */
void pprof_keep_labels(bool wanted);
