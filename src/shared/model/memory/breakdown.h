/* breakdown.h - all memory of one process at one instant, each mapped byte in exactly one leaf.
 *
 * A section has leaves; a leaf has a label and perhaps an item ("Shared Libraries", "libc.so.6").
 * The figures of a leaf are sums of the kernel's figures over its regions, so leaves add up to RSS.
 * What a runtime or allocator says about itself is kept apart, in inside views: live bytes are part
 * of resident bytes and are never added to them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/memory/cgroup_memory.h"
#include "model/memory/memory_region.h"

enum breakdown_section {
    SECTION_RUNTIME,   /* heap, stacks and metadata of a language's runtime */
    SECTION_ALLOCATOR, /* malloc's */
    SECTION_STACKS,
    SECTION_NAMED, /* anonymous memory with a name */
    SECTION_FILE,
    SECTION_SHARED, /* memfd, System V, shared anonymous, /dev/shm */
    SECTION_ANONYMOUS,
    SECTION_OTHER,
    SECTIONS
};

/* Why a region belongs to a leaf.  If two claims cover one address, the one that is further up in
 * this list wins. */
enum breakdown_evidence {
    EVIDENCE_REGISTRY,  /* the program told memoir through memoir.h */
    EVIDENCE_RUNTIME,   /* read from the structures of the language's runtime */
    EVIDENCE_ALLOCATOR, /* read from the structures of the allocator */
    EVIDENCE_THREAD,    /* a thread's stack pointer is in it */
    EVIDENCE_SHAPE, /* size, alignment, rights and flags are as that runtime makes them: probable */
    EVIDENCE_USER,  /* a rule of the user */
    EVIDENCE_NAME,  /* the program gave the kernel a name */
    EVIDENCE_KERNEL, /* the kernel's own names and rights */
    EVIDENCES
};

/* A claim says where an address range belongs; claims override the rules by name. */
struct memory_claim {
    uint64_t start, end;
    enum breakdown_section section;
    const char *label, *item; /* Owned by the breakdown, or literals; no item: "". */
    enum breakdown_evidence evidence;
};

struct breakdown_leaf {
    enum breakdown_section section;
    const char *label, *item;
    enum breakdown_evidence evidence; /* the weakest of its regions */
    uint32_t regions;
    struct memory_bytes bytes;
};

/* A number that a runtime keeps about itself. */
struct inside_number {
    const char *name; /* "heap.live" */
    const char *text; /* what it means, for people */
    const char *source;
    uint64_t value;
    bool is_count; /* else bytes */
};

struct inside_view {
    char runtime[32];  /* "Go", "glibc malloc" */
    char version[32];  /* "go1.19.8"; may be empty */
    char source[160];  /* where the numbers were read */
    char trouble[200]; /* why there are none, or fewer; mostly empty */
    VEC(struct inside_number) numbers;
};

enum breakdown_source { BREAKDOWN_SMAPS, BREAKDOWN_PAGEMAP, BREAKDOWN_RECORDING };

struct breakdown { /* All zero to begin. */
    uint32_t pid, threads;
    char name[64];
    char program[256];         /* Path of the executable; "" if it may not be read. */
    const char *runtime_title; /* "Go Runtime"; NULL: no runtime is known. */
    const char *allocator_title;
    const char *plain_title; /* Title if the parts are not by owner; NULL: they are. */
    uint64_t time_unix_ns, capture_ns, read_bytes;
    uint64_t predicted_ns; /* Expected time of reading smaps. */
    enum breakdown_source source;
    bool deep; /* Set by the caller: slow sources may be read, too. */
    bool
        gentle_by_size; /* Pages were walked in slices because reading smaps would cost too much. */
    /* The kernel's counter before and after, and other figures of /proc/PID/status; -1: unknown. */
    int64_t rss_before, rss_after, rss_anon, rss_file, rss_shmem, rss_peak, page_tables;
    VEC(struct memory_region)
    regions; /* by address; pieces, where a claim begins or ends in a mapping */
    VEC(struct folded_regions)
    folded;                      /* in addition: many small ones as sums, no claim on any of them */
    VEC(uint32_t) region_leaves; /* by region */
    VEC(struct memory_claim) claims;   /* by address, none overlapping */
    VEC(struct breakdown_leaf) leaves; /* by section; in it by label's and item's RSS */
    VEC(struct inside_view) insides;
    VEC(char *) texts;
    VEC(const char *) notes; /* sentences for people */
    struct cgroup_memory cgroup;
    struct memory_bytes total;
};

void breakdown_fini(struct breakdown *breakdown);

/* Returns a text that lives as long as the breakdown; "" if out of memory. */
const char *breakdown_text(struct breakdown *breakdown, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a sentence for people.  Returns false if out of memory. */
bool breakdown_note(struct breakdown *breakdown, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a claim, in any order; breakdown_claims_settle then sorts claims and resolves overlaps. */
bool breakdown_claim(struct breakdown *breakdown, struct memory_claim claim);
int breakdown_claims_settle(struct breakdown *breakdown); /* 0 or -ENOMEM */

/* Adds a view of what a runtime says about itself; NULL if out of memory. */
struct inside_view *breakdown_inside(struct breakdown *breakdown, const char *runtime);
void inside_bytes(struct inside_view *view, const char *name, uint64_t value, const char *text,
                  const char *source);
void inside_count(struct inside_view *view, const char *name, uint64_t value, const char *text,
                  const char *source);

/* Returns the number of mappings, folded ones included. */
uint64_t breakdown_region_count(const struct breakdown *breakdown);
/* Returns whether a mapping between the two addresses was folded. */
bool breakdown_has_folded(const struct breakdown *breakdown, uint64_t start, uint64_t end);

struct memory_bytes breakdown_section_sum(const struct breakdown *breakdown,
                                          enum breakdown_section section);
const char *breakdown_section_key(enum breakdown_section section);    /* "runtime", ... */
const char *breakdown_evidence_key(enum breakdown_evidence evidence); /* "kernel", ... */

/* Replaces digits at the end of a name, so that numbered things get one name: "TNC-17" and "TNC-18"
 * become "TNC-*".  `room` is the size of `text`. */
void name_without_number(const char *name, size_t size, char *text, size_t room);
