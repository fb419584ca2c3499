/* sandbox.h - a process gives up, for ever, everything that its work does not need.
 *
 * For processes that parse what strangers wrote.  A fault in a parser then gets the bytes it was
 * given and nothing more: no file, no process, no network, no privileges.  The layers, in the order
 * in which they close:
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
 * Each layer stands alone: where the kernel or a container has one not, the others hold, and the
 * report says which is missing and why.  Started by an ordinary user, the own user is missing by
 * nature, and is no fault: SANDBOX_USER_KEPT.
 *
 * The own user is a number that no account has (systemd's list leaves 0x70000000 to 0x7fffffff
 * free, and subordinate users end below) and that no two processes have at a time, so no confined
 * process can signal, trace or outlast another.  It never is that of a watched program. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

#define SANDBOX_USER_FIRST 0x70000000u /* a PID has 22 bits at most */
#define SANDBOX_USER_KEPT  (-EPERM)    /* in `missing`: nobody but root can become another user */

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

/* What the call filter allows besides memory, threads, clocks, waiting, and reading and writing of
 * descriptors that are open. */
enum sandbox_calls {
    SANDBOX_FILES = 1,    /* open, create, rename, remove: as far as the file rules let */
    SANDBOX_CHILDREN = 2, /* fork, wait, kill */
    SANDBOX_PROGRAMS = 4, /* exec, and a sandbox of their own for what is started */
    SANDBOX_EVENTS = 8,   /* epoll, timers, accept, priorities: what a recorder does */
    SANDBOX_CODE = 16,    /* memory with code in it: libraries loaded later; exec needs it too */
    SANDBOX_AGAIN = 32,   /* children that confine themselves further */
};

/* What may be done with a file, or with everything below a folder. */
enum sandbox_access {
    SANDBOX_READ = 1,
    SANDBOX_WRITE = 2,  /* what is there: its content, not its name */
    SANDBOX_CREATE = 4, /* make, rename and remove files (folders: only empty ones) */
    SANDBOX_RUN = 8,    /* start a program that lies there */
};

struct sandbox_place {
    int fd; /* of the file or folder, O_PATH will do; the caller closes after sandbox_enter */
    unsigned access;
};

#define SANDBOX_NO_LIMIT UINT64_MAX

struct sandbox_wish {
    unsigned calls; /* of enum sandbox_calls */
    const struct sandbox_place *places;
    size_t place_count;
    uint64_t memory_bytes; /* address space; not limited in sanitized builds */
    uint64_t data_bytes;   /* memory of its own, the same; 0: as much as memory_bytes allows */
    uint64_t file_bytes;   /* a file can grow to; 0: nothing is written but to pipes and sockets */
    uint64_t processes;    /* and threads, of the own user; 0: this one thread alone */
    uint64_t cpu_seconds;  /* then SIGKILL */
    uint64_t descriptors;  /* 0: 1024 */
    bool keeps_user;       /* files of root must be opened by name later: uid 0, no capabilities */
    /* ... and files of other users, as root may: what the file rules allow, whoever owns it.
     * Without file rules there is no such right. */
    bool opens_any_owners;
};

struct sandbox_report {
    int missing[SANDBOX_LAYERS]; /* 0: the layer holds; else -errno */
};

/* Confines the calling process, which must have one thread.  0 with `report`; -errno with a
 * sentence for wrong use, and then nothing has changed.  What is open stays open: the caller closes
 * what the process shall not have.  With MEMOIR_SANDBOX=strict in the environment, a system call
 * that is in no row of the table ends the process by SIGSYS, so that tests find it; otherwise the
 * call fails with EPERM, and a call newer than the table with ENOSYS, for which libc has another
 * way. */
int sandbox_enter(const struct sandbox_wish *wish, struct sandbox_report *report,
                  struct fault *fault);

/* Whether this process may use the file or folder (R_OK, W_OK, X_OK) also without capabilities. */
bool sandbox_may_use(const char *path, int access);

/* What is missing, as words for a sentence: "file rules (Function not implemented)"; "" when every
 * layer holds but for SANDBOX_USER_KEPT and a user kept by wish. */
const char *sandbox_missing(const struct sandbox_report *report, char *text, size_t size);

/* Tries it in a child that ends at once.  -errno when that could not be. */
int sandbox_try(const struct sandbox_wish *wish, struct sandbox_report *report);

/* Closes all descriptors but 0, 1, 2 and `keep` (-1: none). */
void sandbox_close_others(int keep);
/* The same with several to keep, which are put in order; -1 among them is none. */
void sandbox_keep_open(int *kept, size_t count);
