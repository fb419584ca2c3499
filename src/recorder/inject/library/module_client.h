/* module_client.h - the objects loaded in another process: where functions are, and what a stopped
 * thread is doing.  For the process that attaches.
 *
 * A confined child (module_reader.h) reads all this, because the target may have made it to harm
 * the reader.  This file only handles descriptors, registers, and small answers that are checked:
 * an address must be in a mapping of the process that can contain it.  If the reader dies, does not
 * answer for long, or gives an invalid answer, it is not asked again (is_broken); the functions
 * then fail, or find nothing.  One thread at a time. */
#pragma once

#include "base/fault.h"
#include "inject/library/code_spots.h"
#include "inject/library/module_message.h"
#include "inject/library/remote_memory.h"
#include "inject/threads/stack_look.h"
#include "procfs/memory/maps.h"

struct module_client {
    pid_t pid;
    const struct remote_memory *memory;
    struct map_list maps; /* As of the last refresh. */
    bool has_libc, has_own;
    uint32_t own_copies; /* Copies of our library, of any build. */
    bool is_broken;
    int line;
    pid_t reader; /* 0 and below: not open. */
};

/* Starts the reader, which knows nothing until the first refresh.  `memory` must outlive the
 * client.  Returns 0; or -errno, and then there is nothing to close. */
int module_client_open(struct module_client *client, pid_t pid, const struct remote_memory *memory,
                       struct slice own_build_id);
/* Does nothing if the client is zeroed or not open. */
void module_client_close(struct module_client *client);

/* If the reader is broken, sets a sentence and returns -EPROTO; else returns `err`. */
int module_client_judge(const struct module_client *client, int err, struct fault *fault);

/* Reads the list of mappings again.  Returns 0 or -errno. */
int module_client_refresh(struct module_client *client);
/* Like module_client_refresh, until libc is in the list: a program that has just begun loads it
 * first.  Returns 0, also if `wait_ns` was not enough or the process executes another program
 * meanwhile; or -errno. */
int module_client_await_libc(struct module_client *client, uint64_t wait_ns);

/* Makes the reader read the tables that nearly every stack needs. */
void module_client_prepare(struct module_client *client);

/* Returns 0, -ENOENT or -EPROTO. */
int module_client_spots(struct module_client *client, struct code_spots *spots,
                        struct fault *fault);

/* Return the address of a function, in code; of an object of our library; 0 if there is none.
 * Names have at most 55 letters. */
uint64_t module_client_function(struct module_client *client, enum module_place place,
                                const char *name);
uint64_t module_client_object(struct module_client *client, const char *name);

/* What a look at a thread found. */
struct module_look {
    enum stack_verdict verdict;
    bool is_lacking, has_module;
    char where[MODULE_WHERE_MAX]; /* The object of the frame that decided. */
};

/* Looks at the thread with these registers, which must be stopped meanwhile. */
void module_client_look(struct module_client *client, const uint64_t registers[REG_COUNT],
                        struct module_look *look);
/* To be called after STACK_UNPREPARED, with no thread stopped: makes the reader read what was
 * missing.  Returns 1: look again; 0: looking again does not help; or -errno. */
int module_client_complete(struct module_client *client, const struct module_look *look);
