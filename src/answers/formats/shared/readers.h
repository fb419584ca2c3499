/* readers.h - the read functions of other programs' files, each with how to know its files. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"
#include "model/recording.h"

/* Returns true when `head`, the first unpacked bytes of a file (64 are enough), begins a heaptrack
 * file. */
bool heaptrack_recognise(struct slice head);

/* Reads a heaptrack file, raw or interpreted, format 0 to 3, plain or packed, in memory that
 * does not grow with its events.  What is cut off or damaged is left out, with a note that says up
 * to which line it was read.  Frames of a raw file have modules and addresses, but no names.  NULL
 * with a sentence when nothing can be read. */
struct recording *heaptrack_read(const char *path, struct fault *fault);
/* Like heaptrack_read, from memory, for fuzzing and tests. */
struct recording *heaptrack_read_bytes(const void *data, size_t size, struct fault *fault);

/* Reads perf.data: files and what perf writes to a pipe, packed or not, whole or cut off.
 * Stacks that were copied are walked with the binaries of this machine, where they are the ones
 * that ran; frames have modules and addresses, those inside the kernel their names too, where it
 * is the kernel that runs here.  Memory does not grow with the file. */
bool perf_data_recognise(struct slice head);
struct recording *perf_data_read(const char *path, struct fault *fault);
struct recording *perf_data_read_bytes(const void *data, size_t size, struct fault *fault);

/* Returns true for what massif, xtree (--xtree-memory with a name that ends in .ms) or
 * heaptrack_print write as massif.out; 4096 bytes are enough. */
bool massif_recognise(struct slice head);
/* Reads it, plain or packed.  Every snapshot ends a bucket; those with a tree have their call
 * sites, others one sum under UNTOLD_FRAME.  What is not known is said in notes.  NULL with a
 * sentence. */
struct recording *massif_read(const char *path, struct fault *fault);
struct recording *massif_read_bytes(const void *data, size_t size, struct fault *fault);

/* Returns true for what callgrind, cachegrind, xtree (--xtree-memory) and others write as
 * callgrind.out; 4096 bytes are enough. */
bool callgrind_recognise(struct slice head);
/* Reads it, plain or packed, all its parts.  Own costs are exact, by function and line; of
 * stacks it has what is on every way to a function (docs/formats.md).  NULL with a sentence. */
struct recording *callgrind_read(const char *path, struct fault *fault);
struct recording *callgrind_read_bytes(const void *data, size_t size, struct fault *fault);

/* Returns true for what pprof reads: profile.proto, plain or in one more layer of gzip, and the
 * older forms of Go, gperftools and jemalloc; 4096 bytes are enough. */
bool pprof_recognise(struct slice head);
/* Reads a profile.  Values are those of the file, exactly; sample types that memoir does not
 * know are metrics of the recording's own.  Frames without names have modules and addresses.
 * NULL with a sentence. */
struct recording *pprof_recording_read(const char *path, struct fault *fault);
struct recording *pprof_recording_read_bytes(const void *data, size_t size, struct fault *fault);
/* Whether profiles read from now on keep the labels of their samples, to be written again:
 * they take as much memory as the samples.  They do not unless told. */
void pprof_keep_labels(bool wanted);
