/* target_modules.h - the objects loaded in another process: which one holds an address, how to
 * step out of a function there, and whether a thread that is inside it may be borrowed.
 *
 * All this is read from memory that may be hostile, so only the confined module_reader.h does it.
 * Unwind tables and symbols are copied when first wanted, never while somebody waits: see
 * target_modules_prepare. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inject/library/loaded_elf.h"
#include "inject/library/remote_memory.h"
#include "procfs/memory/maps.h"
#include "procfs/memory/mounted_devices.h"

enum module_kind {
    MODULE_PROGRAM, /* anything that is none of the others */
    MODULE_LIBC,
    MODULE_LOADER,
    MODULE_TRACER,    /* ours */
    MODULE_ALLOCATOR, /* a library that brings its own malloc */
    MODULE_KERNEL     /* the vdso */
};

/* What a thread that is found at an address must be taken for. */
enum frame_kind {
    FRAME_FINE,
    FRAME_LIBC_FINE, /* the same, and no code of the program */
    FRAME_BUSY,      /* loading, allocating, forking, exiting, or in our own hooks */
    FRAME_UNKNOWN    /* code that belongs to no object */
};

struct target_module;
struct unwind_row; /* of unwind/eh_frame.h, which does not go together with <signal.h> */

struct target_modules {
    const struct remote_memory *memory;
    struct map_list maps;
    struct mounted_devices devices;
    uint64_t memfd_device;               /* mounted_devices_memfd */
    VEC(struct target_module *) modules; /* by address */
    const uint8_t *own_build_id;         /* of our library, to know it; may be NULL */
    uint32_t own_build_id_size;
};

void target_modules_init(struct target_modules *modules, const struct remote_memory *memory);
void target_modules_fini(struct target_modules *modules);

/* Reads the list of mappings again, from PROC_MAPS and PROC_MOUNTINFO.  0 or -errno; what was
 * copied of objects that are still there stays. */
int target_modules_refresh(struct target_modules *modules, int maps, int mountinfo);

/* Reads memory, but none that is mapped from a file system that a program serves: the target could
 * be that program, and let us wait for ever. */
bool target_modules_read(const struct target_modules *modules, uint64_t address, void *to,
                         size_t size);

/* The object that holds `address`, or NULL. */
struct target_module *target_modules_at(const struct target_modules *modules, uint64_t address);
/* The first of a kind, or NULL. */
struct target_module *target_modules_of(const struct target_modules *modules,
                                        enum module_kind kind);
/* Our own library, if exactly this build of it is loaded. */
struct target_module *target_modules_own(const struct target_modules *modules);

const struct loaded_elf *target_module_elf(const struct target_module *module);
const char *target_module_name(const struct target_module *module);
enum module_kind target_module_kind(const struct target_module *module);

/* Copies the tables and names of one, so that the next two work.  Takes milliseconds. */
void target_modules_prepare(struct target_modules *modules, struct target_module *module);
bool target_module_is_prepared(const struct target_module *module);

/* As eh_frame_row. */
int target_module_row(const struct target_module *module, uint64_t pc, struct unwind_row *row);
enum frame_kind target_module_judge(const struct target_module *module, uint64_t pc);

/* The address of a function that the object offers, 0 when it has none of that name. */
uint64_t target_modules_function(const struct target_modules *modules,
                                 const struct target_module *module, const char *name);

struct memory_reader target_modules_reader(const struct target_modules *modules);
