/* module_client.h - the objects loaded in another process, for whoever attaches to it: where
 * functions are, and what a stopped thread is in the middle of.
 *
 * A confined child reads all that (module_reader.h), for the process that it is read from may have
 * made it to harm whoever does.  Here are descriptors, registers, and small answers that are
 * checked: an address must lie in a mapping of the process that can hold what it is of.  A reader
 * that dies, is silent for long or answers nonsense is asked nothing more (is_broken); the
 * functions then fail, or find nothing.  One thread at a time. */
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
    struct map_list maps; /* as of the last refresh */
    bool has_libc, has_own;
    uint32_t own_copies; /* of our library, whichever build */
    bool is_broken;
    int line;
    pid_t reader; /* 0 and below: not open */
};

/* Starts the reader, which knows nothing until the first refresh.  `memory` must live as long.  0,
 * or -errno and nothing to close. */
int module_client_open(struct module_client *client, pid_t pid, const struct remote_memory *memory,
                       struct slice own_build_id);
/* Zeroed, or not open, it has nothing to close. */
void module_client_close(struct module_client *client);

/* Sets a sentence about a reader that is broken, and returns its -EPROTO; else `err`. */
int module_client_judge(const struct module_client *client, int err, struct fault *fault);

/* Reads the list of mappings again.  0 or -errno. */
int module_client_refresh(struct module_client *client);
/* The same until libc is among them: a program that begins just now loads it first.  0, also
 * when `wait_ns` was not enough, or it becomes another program meanwhile; or -errno. */
int module_client_await_libc(struct module_client *client, uint64_t wait_ns);

/* Has the tables read that nearly every stack needs. */
void module_client_prepare(struct module_client *client);

/* 0 or -ENOENT, -EPROTO. */
int module_client_spots(struct module_client *client, struct code_spots *spots,
                        struct fault *fault);

/* The address of a function, in code; of an object of our library; 0 when there is none.  Names
 * have at most 55 letters. */
uint64_t module_client_function(struct module_client *client, enum module_place place,
                                const char *name);
uint64_t module_client_object(struct module_client *client, const char *name);

/* What a look at a thread found. */
struct module_look {
    enum stack_verdict verdict;
    bool is_lacking, has_module;
    char where[MODULE_WHERE_MAX]; /* the object of the frame that decided */
};

/* The thread that has these registers must stand still meanwhile. */
void module_client_look(struct module_client *client, const uint64_t registers[REG_COUNT],
                        struct module_look *look);
/* After STACK_UNPREPARED, with no thread standing still: has read what was lacking.  1: look again;
 * 0: it leads nowhere; or -errno. */
int module_client_complete(struct module_client *client, const struct module_look *look);
