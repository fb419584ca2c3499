/* sandbox.h - a process gives up, for ever, everything that its work does not need.
 *
 * For processes that parse what strangers wrote.  An attacker who exploits a fault in a parser then
 * has the bytes that it was given and nothing more: no file, no process, no network, no privileges.
 * The layers, in the order in which they close:
 *
 *   own user         started as root: uid and gid SANDBOX_USER_FIRST + PID, no other groups
 *   capabilities     none: bounding, ambient, permitted, effective and inheritable sets are empty
 *   limits           processes, size of files, memory, descriptors; no core dump
 *   not dumpable     other processes of the same user cannot trace this one, or read its memory
 *   no new rights    no_new_privs: set-user-ID programs give nothing
 *   file rules       Landlock: the files and folders of `places` can be opened, no others; no TCP;
 *                    signals and abstract sockets of other processes are out of reach
 *   call filter      seccomp: system calls of the table in call_table.c, no others
 *
 * The layers do not depend on each other: if the kernel or a container does not offer one, the
 * others hold, and the report says which layer is missing and why.  If an ordinary user starts the
 * process, there can be no own user, which is no fault: SANDBOX_USER_KEPT.
 *
 * The own user is a number that no account has (systemd's list leaves 0x70000000 to 0x7fffffff
 * free, and subordinate users end below) and that no two processes have at the same time, so no
 * confined process can signal, trace or outlast another.  A watched program never has it. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

#define SANDBOX_USER_FIRST 0x70000000u /* A PID has at most 22 bits. */
#define SANDBOX_USER_KEPT  (-EPERM)    /* In `missing`: only root can become another user. */

enum sandbox_layer {
    SANDBOX_OWN_USER,
    SANDBOX_NO_CAPABILITIES,
    SANDBOX_LIMITS,
    SANDBOX_NOT_DUMPABLE,
    SANDBOX_NO_NEW_RIGHTS,
    SANDBOX_FILE_RULES,
    SANDBOX_CALL_FILTER,
    SANDBOX_LAYERS
};
extern const char *const sandbox_layer_names[SANDBOX_LAYERS];

/* What the call filter allows besides memory, threads, clocks, waiting, and reading and writing
 * open descriptors. */
enum sandbox_calls {
    SANDBOX_FILES = 1,    /* Open, create, rename, remove: as far as the file rules allow. */
    SANDBOX_CHILDREN = 2, /* Fork, wait, kill. */
    SANDBOX_PROGRAMS = 4, /* Exec, and a sandbox of its own for the started program. */
    SANDBOX_EVENTS = 8,   /* Epoll, timers, accept, priorities: what a recorder does. */
    /* Memory with code in it: libraries that are loaded later; exec needs it, too. */
    SANDBOX_CODE = 16,
    SANDBOX_AGAIN = 32, /* Children that confine themselves further. */
};

/* What may be done with a file, or with everything below a folder. */
enum sandbox_access {
    SANDBOX_READ = 1,
    SANDBOX_WRITE = 2,  /* Existing files: their content, not their names. */
    SANDBOX_CREATE = 4, /* Create, rename and remove files (folders: only empty ones). */
    SANDBOX_RUN = 8,    /* Execute a program. */
};

struct sandbox_place {
    /* Of the file or folder; O_PATH is enough.  The caller closes it after sandbox_enter. */
    int fd;
    unsigned access;
};

#define SANDBOX_NO_LIMIT UINT64_MAX

struct sandbox_wish {
    unsigned calls; /* Of enum sandbox_calls. */
    const struct sandbox_place *places;
    size_t place_count;
    uint64_t memory_bytes; /* Address space; not limited in sanitized builds. */
    /* Private memory; not limited in sanitized builds; 0: only memory_bytes counts. */
    uint64_t data_bytes;
    uint64_t file_bytes;  /* Largest size of a file; 0: writes only to pipes and sockets. */
    uint64_t processes;   /* Processes and threads of the own user; 0: only this one thread. */
    uint64_t cpu_seconds; /* After this, SIGKILL. */
    uint64_t descriptors; /* 0: 1024 */
    bool keeps_user;      /* Files of root must be opened by name later: uid 0, no capabilities. */
    /* With keeps_user: may also open files of other users, as root may, as far as the file rules
     * allow.  Without file rules there is no such right. */
    bool opens_any_owners;
    /* Processes of the same user, which have its rights anyway, may look at this one. */
    bool stays_dumpable;
};

struct sandbox_report {
    int missing[SANDBOX_LAYERS]; /* 0: the layer holds; else -errno. */
};

/* Confines the calling process, which must have one thread.  Returns 0 with `report`; or -errno
 * with a sentence on wrong use, and then nothing has changed.  Open descriptors stay open: the
 * caller closes those that the process shall not have.  With MEMOIR_SANDBOX=strict in the
 * environment, a system call that is not in the table ends the process by SIGSYS, so that tests
 * find it.  Otherwise such a call fails with EPERM; a call newer than the table fails with ENOSYS,
 * for which libc has another way. */
int sandbox_enter(const struct sandbox_wish *wish, struct sandbox_report *report,
                  struct fault *fault);

/* Returns whether this process may use the file or folder (R_OK, W_OK, X_OK) also without
 * capabilities. */
bool sandbox_may_use(const char *path, int access);

/* Renders the missing layers for a sentence: "file rules (Function not implemented)"; "" if only
 * SANDBOX_USER_KEPT, or a user kept by wish, is missing. */
const char *sandbox_missing(const struct sandbox_report *report, char *text, size_t size);

/* Tries sandbox_enter in a child that ends at once.  Returns -errno if that was not possible. */
int sandbox_try(const struct sandbox_wish *wish, struct sandbox_report *report);

/* Closes all descriptors but 0, 1, 2 and `keep` (-1: none). */
void sandbox_close_others(int keep);
/* Like sandbox_close_others, with several to keep, which are sorted; entries of -1 are ignored. */
void sandbox_keep_open(int *kept, size_t count);
