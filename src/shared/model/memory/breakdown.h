/* breakdown.h - all memory of one process at one instant, each mapped byte in exactly one leaf.
 *
 * Sections hold leaves, a leaf is a label and perhaps an item ("Shared Libraries", "libc.so.6").
 * Every figure of a leaf is the kernel's, summed over its regions, so leaves add up to RSS.
 * What a runtime or allocator says about itself lies beside, in inside views: live bytes are
 * part of resident ones and are never added to them. */
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

/* How a leaf came to its regions: from what a program says, or from looks.  Of two claims to one
 * address the one further up here wins. */
enum breakdown_evidence {
    EVIDENCE_REGISTRY,  /* the program told memoir through memoir.h */
    EVIDENCE_RUNTIME,   /* read from the structures of the language's runtime */
    EVIDENCE_ALLOCATOR, /* read from the structures of the allocator */
    EVIDENCE_THREAD,    /* a thread's stack pointer is in it */
    EVIDENCE_SHAPE, /* size, alignment, rights and flags are as that runtime makes them: probable */
    EVIDENCE_USER,  /* a rule of the user's */
    EVIDENCE_NAME,  /* the program gave the kernel a name */
    EVIDENCE_KERNEL, /* the kernel's own names and rights */
    EVIDENCES
};

/* A statement that is better than the rules: these addresses belong there. */
struct memory_claim {
    uint64_t start, end;
    enum breakdown_section section;
    const char *label, *item; /* owned by the breakdown, or literals; item "" for none */
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

struct breakdown { /* all zero to begin */
    uint32_t pid, threads;
    char name[64];
    char program[256];         /* path of the executable; "" when we may not see it */
    const char *runtime_title; /* "Go Runtime"; NULL: none is known */
    const char *allocator_title;
    const char *plain_title; /* when parts are not by whose they are; NULL: they are */
    uint64_t time_unix_ns, capture_ns, read_bytes;
    uint64_t predicted_ns; /* what reading smaps was expected to take */
    enum breakdown_source source;
    bool deep;           /* what takes long may be read as well; set before */
    bool gentle_by_size; /* pages were walked gently because of the cost of the other way */
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

/* A text that lives as long as the breakdown; "" when out of memory. */
const char *breakdown_text(struct breakdown *breakdown, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A sentence for the reader; false when out of memory. */
bool breakdown_note(struct breakdown *breakdown, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Lays a claim, in any order; claims_settle then orders them and decides where they overlap. */
bool breakdown_claim(struct breakdown *breakdown, struct memory_claim claim);
int breakdown_claims_settle(struct breakdown *breakdown); /* 0 or -ENOMEM */

/* What a runtime says about itself; NULL when out of memory. */
struct inside_view *breakdown_inside(struct breakdown *breakdown, const char *runtime);
void inside_bytes(struct inside_view *view, const char *name, uint64_t value, const char *text,
                  const char *source);
void inside_count(struct inside_view *view, const char *name, uint64_t value, const char *text,
                  const char *source);

/* Mappings, with those that are folded. */
uint64_t breakdown_region_count(const struct breakdown *breakdown);
/* Whether something between the two addresses was folded. */
bool breakdown_has_folded(const struct breakdown *breakdown, uint64_t start, uint64_t end);

struct memory_bytes breakdown_section_sum(const struct breakdown *breakdown,
                                          enum breakdown_section section);
const char *breakdown_section_key(enum breakdown_section section);    /* "runtime", ... */
const char *breakdown_evidence_key(enum breakdown_evidence evidence); /* "kernel", ... */

/* "TNC-17" and "TNC-18" become "TNC-*": digits at the end number what is one thing.  `room` is
 * of `text`. */
void name_without_number(const char *name, size_t size, char *text, size_t room);
