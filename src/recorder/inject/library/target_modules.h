/* target_modules.h - the objects loaded in another process: which one contains an address, how to
 * unwind a function there, and whether a thread inside it may be borrowed.
 *
 * All this is read from memory that may be hostile, so only the confined module_reader.h does it.
 * Unwind tables and symbols are copied when first needed, never while a thread is stopped: see
 * target_modules_prepare. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inject/library/loaded_elf.h"
#include "inject/library/remote_memory.h"
#include "procfs/memory/maps.h"
#include "procfs/memory/mounted_devices.h"

enum module_kind {
    MODULE_PROGRAM, /* None of the others. */
    MODULE_LIBC,
    MODULE_LOADER,
    MODULE_TRACER,    /* Our library. */
    MODULE_ALLOCATOR, /* A library with a malloc of its own. */
    MODULE_KERNEL     /* The vdso. */
};

/* What a thread that is found at an address does. */
enum frame_kind {
    FRAME_FINE,
    FRAME_LIBC_FINE, /* Like FRAME_FINE, and not code of the program. */
    FRAME_BUSY,      /* Loading, allocating, forking, exiting, or in our own hooks. */
    FRAME_UNKNOWN    /* Code that belongs to no object. */
};

struct target_module;
struct unwind_row; /* In unwind/eh_frame.h, which cannot be included together with <signal.h>. */

struct target_modules {
    const struct remote_memory *memory;
    struct map_list maps;
    struct mounted_devices devices;
    uint64_t memfd_device;               /* From mounted_devices_memfd. */
    VEC(struct target_module *) modules; /* By address. */
    const uint8_t *own_build_id;         /* Of our library, to recognize it; may be NULL. */
    uint32_t own_build_id_size;
};

void target_modules_init(struct target_modules *modules, const struct remote_memory *memory);
void target_modules_fini(struct target_modules *modules);

/* Reads the list of mappings again, from PROC_MAPS and PROC_MOUNTINFO.  Returns 0 or -errno.  Keeps
 * the copies for objects that are still there. */
int target_modules_refresh(struct target_modules *modules, int maps, int mountinfo);

/* Reads memory, except memory that is mapped from a file system that is served by a program: the
 * target could be that program, and block us for ever. */
bool target_modules_read(const struct target_modules *modules, uint64_t address, void *to,
                         size_t size);

/* Returns the object that contains `address`, or NULL. */
struct target_module *target_modules_at(const struct target_modules *modules, uint64_t address);
/* Returns the first object of a kind, or NULL. */
struct target_module *target_modules_of(const struct target_modules *modules,
                                        enum module_kind kind);
/* Returns our own library, if exactly this build of it is loaded. */
struct target_module *target_modules_own(const struct target_modules *modules);

const struct loaded_elf *target_module_elf(const struct target_module *module);
const char *target_module_name(const struct target_module *module);
enum module_kind target_module_kind(const struct target_module *module);

/* Copies the tables and names of an object, which target_module_row and target_module_judge need.
 * Takes milliseconds. */
void target_modules_prepare(struct target_modules *modules, struct target_module *module);
bool target_module_is_prepared(const struct target_module *module);

/* Like eh_frame_row. */
int target_module_row(const struct target_module *module, uint64_t pc, struct unwind_row *row);
enum frame_kind target_module_judge(const struct target_module *module, uint64_t pc);

/* Returns the address of an exported function; 0 if there is none of that name. */
uint64_t target_modules_function(const struct target_modules *modules,
                                 const struct target_module *module, const char *name);

struct memory_reader target_modules_reader(const struct target_modules *modules);
