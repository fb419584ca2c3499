/* process_code.h - the code of one process: what is at an address, and how to unwind a function
 * there.
 *
 * Read from /proc while the process runs, in whatever namespace it is and whether or not its files
 * still exist; needs no more rights than to read its memory.  Unwind tables are made when first
 * needed, and shared by all processes of a store that run the same file.  One process_code per
 * program that runs: after an exec, close it and open another.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_store;
struct code_tables;
struct process_code;
struct unwind_row; /* In unwind/eh_frame.h, which cannot be included together with <signal.h>. */

enum code_kind {
    CODE_FILE, /* Of an ELF object. */
    CODE_MADE, /* Made at run time: in no file, or in a file that is not ELF. */
    /* Of a file that can no longer be read: the process was gone before we asked. */
    CODE_LOST
};

struct code_region {
    uint64_t start, end, offset; /* Addresses; offset in the file. */
    uint64_t device, inode;
    const char *path; /* As the process sees it, without " (deleted)"; "" for none, "[vdso]". */
    enum code_kind kind;
    uint64_t bias;                     /* Address - ELF address. */
    uint64_t module_start, module_end; /* All mappings of the object. */
    uint64_t number;            /* Of this code at this place: other code has another number. */
    const char *build_id;       /* Lower-case hex, or "". */
    struct code_tables *tables; /* NULL: none could be read. */
    bool is_prepared;           /* kind, bias, build_id and tables are known. */
};

/* What all processes share: tables by file.  `bytes_max` bounds the memory of all tables together;
 * a file that does not fit has no rules, and is counted.  Must outlive its processes.  Returns NULL
 * when out of memory. */
struct code_store *code_store_create(size_t bytes_max);
void code_store_destroy(struct code_store *store);
/* From now on, tables that are no longer used stay, for later processes. */
void code_store_keep_unused(struct code_store *store);
struct code_store_size {
    size_t files, bytes;
    size_t refused; /* Files so far whose tables found no room. */
};
struct code_store_size code_store_measure(const struct code_store *store);

/* Returns 0 or -errno: -ESRCH no such process, -EACCES not allowed. */
int process_code_open(struct code_store *store, uint32_t pid, struct process_code **code);
void process_code_close(struct process_code *code); /* NULL is allowed. */

/* The code of a process that can no longer be looked at, from a list of its mappings
 * (process_code_map); their files are those of this machine, if they exist here.  `parent`: begins
 * with a copy of its mappings; NULL: with none.  Refreshing does nothing.  Returns 0 or -ENOMEM. */
int process_code_create(struct code_store *store, const struct process_code *parent,
                        struct process_code **code);
struct code_mapping {
    uint64_t start, end, offset;
    const char *path;     /* Must outlive the code, like build_id. */
    const char *build_id; /* Lower-case hex; a file with another one is not used.  "": unknown. */
};
/* Adds a mapping, which replaces what was there.  Returns 0; -EINVAL if it ends before it begins;
 * -ENOSPC if there are LISTED_REGIONS_MAX already; or -ENOMEM. */
#define LISTED_REGIONS_MAX 65536u
int process_code_map(struct process_code *code, const struct code_mapping *mapping);

/* Returns the executable mapping that contains `address`, prepared; NULL if it is in none that is
 * known.  Valid until the next refresh. */
const struct code_region *process_code_find(struct process_code *code, uint64_t address);

/* Returns the path, as we see it, of the list of code that its runtime made
 * (symbols/lookup/perf_map.h); "" if there is none.  Looks for it at most once a second, and
 * accepts it only if the user of the process made it. */
const char *process_code_made_list(struct process_code *code);
/* Sets that path for code that was made by process_code_create; a path that is too long counts as
 * none. */
void process_code_tell_made_list(struct process_code *code, const char *path);

/* Reads the mappings again.  Returns 0; or -errno, with what was known kept. */
int process_code_refresh(struct process_code *code);
/* For an address that is in no mapping: reads the mappings again if the last time was long enough
 * ago, at most REFRESHES_PER_SECOND, and less and less often (down to once in four seconds) while
 * nothing changes.  Returns whether they were read. */
#define REFRESHES_PER_SECOND 8u
bool process_code_refresh_if_due(struct process_code *code);

/* Returns whether a refresh since the last call found known code gone, or other code in its place:
 * stacks that were known by their words alone may now mean something else. */
bool process_code_was_replaced(struct process_code *code);

/* Returns the prefix of its files' paths if they are not where ours are; else NULL.  The text is
 * never freed. */
const char *process_code_root(const struct process_code *code);

/* Returns a number for what is known at all its addresses: never that of another process, and a new
 * one after a refresh. */
uint64_t process_code_number(const struct process_code *code);

/* Returns how to unwind the function at `address`: a packed rule of unwind/rule.h, whose module
 * number is 1 + the number of the region, 0 if there is none.  Remembered, so the second time is
 * cheap. */
uint64_t process_code_rule(struct process_code *code, uint64_t address);
/* Finds the whole row, for rules that do not pack; in addresses of the file.  Returns 0 or
 * -errno. */
int process_code_row(struct process_code *code, uint64_t address, struct unwind_row *row);

/* Reads instructions as they are now.  Returns false if they cannot be read. */
bool process_code_bytes(const struct process_code *code, uint64_t address, void *to, size_t size);
