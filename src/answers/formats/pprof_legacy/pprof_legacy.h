/* pprof_legacy.h - reads profiles that are older than profile.proto: text of Go (debug=1),
 * gperftools, tcmalloc and jemalloc, and gperftools' binary profiles of time. */
#pragma once

#include "base/number_map.h"
#include "formats/pprof/pprof_profile.h"

/* Returns whether these first bytes of a file, unpacked, begin such a profile; 64 are enough. */
bool pprof_legacy_recognise(struct slice head);
/* Parses profile->bytes, which pprof_legacy_recognise has accepted, into the rest of the profile.
 * Sampled heaps are scaled to what the samples stand for.  Returns 0 or -errno with a sentence. */
int pprof_parse_legacy(struct pprof_profile *profile, struct fault *fault);

/* --- internal --- */

struct pprof_text_reader {
    struct pprof_profile *profile;
    struct slice rest;        /* lines that were not read yet */
    struct number_map places; /* location plus one, by address plus one */
    uint64_t filling;         /* location whose names are being read, plus one */
    bool takes_names;         /* names are stored, because the location had none before */
    /* sum of the lines so far, to compare with the announced total: see pprof_note_missing */
    uint64_t came;
};

bool pprof_next_line(struct pprof_text_reader *reader, struct slice *line);
/* Adds a string without copying it: it must be part of the file, or constant.  Returns its index,
 * or UINT32_MAX when out of memory. */
uint32_t pprof_add_string(struct pprof_profile *profile, struct slice text);
/* Adds a column.  Returns 0 or -ENOMEM. */
int pprof_add_type(struct pprof_profile *profile, struct slice type, const char *unit);
/* Adds the location of a return address (the call is one byte before), or of an exact address.
 * Returns 0 or -errno. */
int pprof_add_place(struct pprof_text_reader *reader, uint64_t address, bool is_return);
/* Parses return addresses such as " 0x1 0x2", innermost first, as the stack of the next sample.
 * Returns their number, or -errno. */
int pprof_add_stack(struct pprof_text_reader *reader, struct slice addresses);
/* Adds a sample with the last `depth` places as its stack.  Returns 0 or -errno. */
int pprof_add_text_sample(struct pprof_profile *profile, uint32_t depth, const int64_t *values);
/* Parses "#\t0x401000\tmain.work+0x1f\t/src/main.go:12"; does nothing for another comment.  Returns
 * 0 or -ENOMEM. */
int pprof_read_comment(struct pprof_text_reader *reader, struct slice line);

/* Notes whether lines are missing: `told` is the total that the first lines announce, and
 * reader->came is the sum of the lines that follow. */
void pprof_note_missing(struct pprof_text_reader *reader, uint64_t told);

/* Returns whether the memory map follows this line. */
bool pprof_is_map_title(struct slice line);
/* Reads the rest of the lines as a memory map: adds mappings, and sets the mapping of every
 * location.  Returns 0 or -ENOMEM. */
int pprof_read_maps(struct pprof_text_reader *reader);

/* Read one form each, from its first line on. */
int pprof_read_heap_text(struct pprof_text_reader *reader, struct fault *fault);
int pprof_read_jemalloc(struct pprof_text_reader *reader, struct fault *fault);
int pprof_read_cpu_binary(struct pprof_text_reader *reader, struct fault *fault);
/* Returns the size of a word in a binary profile, 8 or 4; 0 if `head` does not begin one. */
unsigned pprof_cpu_word(struct slice head);
