/* process_code.h - the code of one process: what lies at an address, and how to step out of a
 * function there.
 *
 * Read from /proc while the process runs, in whatever namespace it is and whether or not its
 * files are still there; needs no more rights than to read its memory.  Unwind tables are made
 * when first wanted and shared by all processes of a store that run the same file.  One
 * process_code per program that runs: after an exec, close it and open another. Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_store;
struct code_tables;
struct process_code;
struct unwind_row; /* of unwind/eh_frame.h, which does not go together with <signal.h> */

enum code_kind {
    CODE_FILE, /* of an ELF object */
    CODE_MADE, /* at run time: in no file, or in one that is none */
    /* of a file that nobody can read any more: the process was gone before it was asked for */
    CODE_LOST
};

struct code_region {
    uint64_t start, end, offset; /* addresses; where in the file */
    uint64_t device, inode;
    const char *path; /* as the process sees it, without " (deleted)"; "" for none, "[vdso]" */
    enum code_kind kind;
    uint64_t bias;                     /* address - ELF address */
    uint64_t module_start, module_end; /* all mappings of the object */
    uint64_t number;                   /* of this code at this place: other code, other number */
    const char *build_id;              /* lower-case hex, or "" */
    struct code_tables *tables;        /* NULL: none could be read */
    bool is_prepared;                  /* kind, bias, build_id and tables are known */
};

/* What all processes share: tables by file.  `bytes_max` bounds the memory of all tables
 * together; a file that does not fit any more has no rules, and is counted.  Outlives its
 * processes.  NULL when out of memory. */
struct code_store *code_store_create(size_t bytes_max);
void code_store_destroy(struct code_store *store);
/* From now on tables stay when nobody uses them any more, for those who come later. */
void code_store_keep_unused(struct code_store *store);
struct code_store_size {
    size_t files, bytes;
    size_t refused; /* files whose tables found no room, so far */
};
struct code_store_size code_store_measure(const struct code_store *store);

/* 0 or -errno: -ESRCH when there is no such process, -EACCES when we may not look at it. */
int process_code_open(struct code_store *store, uint32_t pid, struct process_code **code);
void process_code_close(struct process_code *code); /* NULL is fine */

/* The code of a process that nobody can look at any more, from what was written down about it:
 * mappings are told, and their files are those of this machine, where they are there.  `parent`:
 * begins with what that one has; NULL: with nothing. Refreshing does nothing.  0 or -ENOMEM. */
int process_code_create(struct code_store *store, const struct process_code *parent,
                        struct process_code **code);
struct code_mapping {
    uint64_t start, end, offset;
    const char *path;     /* must outlive the code; so must the next one */
    const char *build_id; /* lower-case hex; a file that has another is not used.  "": not known */
};
/* Takes the place of what was there.  0, -EINVAL when it ends before it begins, -ENOSPC when
 * there are LISTED_REGIONS_MAX, or -ENOMEM. */
#define LISTED_REGIONS_MAX 65536u
int process_code_map(struct process_code *code, const struct code_mapping *mapping);

/* The executable mapping that holds `address`, prepared; NULL when it is in none that is known.
 * Valid until the next refresh. */
const struct code_region *process_code_find(struct process_code *code, uint64_t address);

/* The list of code that its runtime made (symbols/lookup/perf_map.h), as we see it; "" when
 * there is none.  Looked for at most once a second, and only taken if the user of the process
 * made it. */
const char *process_code_made_list(struct process_code *code);
/* The same told, for one that was made from a list; a path that is too long is none. */
void process_code_tell_made_list(struct process_code *code, const char *path);

/* Reads the mappings again.  0 or -errno: what was known stays then. */
int process_code_refresh(struct process_code *code);
/* The same for an address that is in no mapping, if the last time was long enough ago: at most
 * REFRESHES_PER_SECOND, and less and less often (down to one in four seconds) while nothing
 * changes.  Whether the list was read. */
#define REFRESHES_PER_SECOND 8u
bool process_code_refresh_if_due(struct process_code *code);

/* Whether a refresh found known code gone or other code in its place, since this was last asked:
 * stacks that were known by their words alone may now mean something else. */
bool process_code_was_replaced(struct process_code *code);

/* Prefix of its files' paths where they are not where ours are; else NULL.  Lives for ever. */
const char *process_code_root(const struct process_code *code);

/* A number for what is known to lie at all its addresses: never that of another process, and a
 * new one after a refresh. */
uint64_t process_code_number(const struct process_code *code);

/* How to step out of the function at `address`: a packed rule of unwind/rule.h, whose module
 * number is 1 + the number of the region, 0 when there is none.  Remembered, so cheap the second
 * time. */
uint64_t process_code_rule(struct process_code *code, uint64_t address);
/* The whole row for rules that do not pack; in addresses of the file.  0 or -errno. */
int process_code_row(struct process_code *code, uint64_t address, struct unwind_row *row);

/* Instructions as they are now.  false when they cannot be read. */
bool process_code_bytes(const struct process_code *code, uint64_t address, void *to, size_t size);
