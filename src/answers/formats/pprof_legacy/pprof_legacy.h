/* pprof_legacy.h - profiles from before profile.proto: text of Go (debug=1), gperftools,
 * tcmalloc and jemalloc, and gperftools' binary profiles of time. */
#pragma once

#include "base/number_map.h"
#include "formats/pprof/pprof_profile.h"

/* By the first bytes, unpacked; 64 are enough. */
bool pprof_legacy_recognise(struct slice head);
/* profile->bytes, which pprof_legacy_recognise knows, into the rest of the profile; sampled heaps
 * are scaled to what they stand for.  Returns 0 or -errno with a sentence. */
int pprof_parse_legacy(struct pprof_profile *profile, struct fault *fault);

/* --- inside --- */

struct pprof_text_reader {
    struct pprof_profile *profile;
    struct slice rest;        /* lines not read yet */
    struct number_map places; /* by address plus one: the location plus one */
    uint64_t filling;         /* location whose names are being read, plus one */
    bool takes_names;         /* of it: it had none before */
    uint64_t came;            /* of what the first lines say there is, see pprof_note_missing */
};

bool pprof_next_line(struct pprof_text_reader *reader, struct slice *line);
/* Strings are not copied: they are of the file, or live for ever.  The index, or UINT32_MAX when
 * out of memory. */
uint32_t pprof_add_string(struct pprof_profile *profile, struct slice text);
/* A column.  Returns 0 or -ENOMEM. */
int pprof_add_type(struct pprof_profile *profile, struct slice type, const char *unit);
/* The location of a return address (the call is one before) or of an address as it is.  Returns 0
 * or -errno. */
int pprof_add_place(struct pprof_text_reader *reader, uint64_t address, bool is_return);
/* " 0x1 0x2": return addresses, innermost first; they become the stack of the sample that is
 * added next.  Their number, or -errno. */
int pprof_add_stack(struct pprof_text_reader *reader, struct slice addresses);
/* A sample of the last `depth` places.  Returns 0 or -errno. */
int pprof_add_text_sample(struct pprof_profile *profile, uint32_t depth, const int64_t *values);
/* "#\t0x401000\tmain.work+0x1f\t/src/main.go:12".  Returns 0 or -ENOMEM; nothing happens when it is
 * another comment. */
int pprof_read_comment(struct pprof_text_reader *reader, struct slice line);

/* The first lines told of so much, and `came` is the sum of all that follow: less of it means
 * that lines are missing. */
void pprof_note_missing(struct pprof_text_reader *reader, uint64_t told);

/* Returns true at a line after which the memory map comes. */
bool pprof_is_map_title(struct slice line);
/* The rest of the lines are a memory map: mappings, and which one every location is in.  Returns 0
 * or -ENOMEM. */
int pprof_read_maps(struct pprof_text_reader *reader);

/* The forms; lines from the first one on. */
int pprof_read_heap_text(struct pprof_text_reader *reader, struct fault *fault);
int pprof_read_jemalloc(struct pprof_text_reader *reader, struct fault *fault);
int pprof_read_cpu_binary(struct pprof_text_reader *reader, struct fault *fault);
/* 8 or 4, 0 when it does not begin so. */
unsigned pprof_cpu_word(struct slice head);
