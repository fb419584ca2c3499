/* SPDX-License-Identifier: Apache-2.0 */
/* Both names of each function are ours to look up. */
#undef _FILE_OFFSET_BITS
#include "tracer/hooks/got_hooks.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/executables.h"
#include "tracer/hooks/confine_hooks.h"
#include "tracer/hooks/dlopen_hooks.h"
#include "tracer/hooks/limit_hooks.h"
#include "tracer/process/loaded_objects.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/thread.h"
#include "tracer/rings/told.h"
#include "wire/invariant.h"

void cfree(void *block);
void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
void *pvalloc(size_t size);

enum { FOR_ALL, FOR_LOADING };

struct hooked {
    const char *name;
    void *hook;
    int use;
    void *real; /* NULL: there is none */
};

static struct hooked hooked[] = {
    {"malloc", malloc, FOR_ALL, NULL},
    {"free", free, FOR_ALL, NULL},
    {"calloc", calloc, FOR_ALL, NULL},
    {"realloc", realloc, FOR_ALL, NULL},
    {"reallocarray", reallocarray, FOR_ALL, NULL},
    {"posix_memalign", posix_memalign, FOR_ALL, NULL},
    {"aligned_alloc", aligned_alloc, FOR_ALL, NULL},
    {"memalign", memalign, FOR_ALL, NULL},
    {"valloc", valloc, FOR_ALL, NULL},
    {"pvalloc", pvalloc, FOR_ALL, NULL},
    {"cfree", cfree, FOR_ALL, NULL},
    {"free_sized", free_sized, FOR_ALL, NULL},
    {"free_aligned_sized", free_aligned_sized, FOR_ALL, NULL},
    {"mmap", mmap, FOR_ALL, NULL},
    {"mmap64", mmap64, FOR_ALL, NULL},
    {"munmap", munmap, FOR_ALL, NULL},
    {"mremap", mremap, FOR_ALL, NULL},
    {"sbrk", sbrk, FOR_ALL, NULL},
    {"brk", brk, FOR_ALL, NULL},
    {"setrlimit", setrlimit, FOR_ALL, NULL},
    {"setrlimit64", setrlimit64, FOR_ALL, NULL},
    {"prlimit", prlimit, FOR_ALL, NULL},
    {"prlimit64", prlimit64, FOR_ALL, NULL},
    {"prctl", prctl, FOR_ALL, NULL},
    {"syscall", syscall, FOR_ALL, NULL},
    {"dlclose", dlclose, FOR_ALL, NULL},
    {"_Fork", _Fork, FOR_ALL, NULL},
    {"execve", execve, FOR_ALL, NULL},
    {"execvpe", execvpe, FOR_ALL, NULL},
    {"fexecve", fexecve, FOR_ALL, NULL},
    {"execv", execv, FOR_ALL, NULL},
    {"execvp", execvp, FOR_ALL, NULL},
    {"execl", execl, FOR_ALL, NULL},
    {"execlp", execlp, FOR_ALL, NULL},
    {"execle", execle, FOR_ALL, NULL},
    {"posix_spawn", posix_spawn, FOR_ALL, NULL},
    {"posix_spawnp", posix_spawnp, FOR_ALL, NULL},
    {"system", system, FOR_ALL, NULL},
    {"popen", popen, FOR_ALL, NULL},
    {"dlopen", dlopen_hook, FOR_LOADING, NULL},
    {"dlsym", dlsym_hook, FOR_LOADING, NULL},
};
#define HOOKED         (sizeof(hooked) / sizeof(hooked[0]))
#define ALLOCATOR_PART 13u /* of the table: what must not be mixed with another allocator's */

static _Atomic bool installed;
static struct objects_mark seen;

/* What the loader runs new libraries' constructors through, in ld.so's own table. */
#define CATCH "_dl_catch_exception"
typedef int catch_fn(void *exception, void (*operate)(void *), void *arguments);
static catch_fn *real_catch;
static bool loader_tells; /* there is such a table */

/* Somewhere in the program is another malloc than the program's own, or libc's. */
static bool is_another_allocator;

/* A place that holds an address, in the table of an object. */
struct got_place {
    const struct loaded_object *object;
    uint64_t *at;
    uint32_t symbol;
    uint32_t type;
};

/* One tour through the objects. */
struct patching {
    bool install;                 /* else remove */
    uint64_t open_low, open_high; /* pages made writable */
    int result;
    bool unbound; /* met places that were not looked up yet */
};

static bool is_used(const struct hooked *entry)
{
    return entry->real && (entry->use == FOR_ALL || !loader_tells);
}

/* Back to what it was: it could be read, and not be written. */
static void close_pages(struct patching *patching)
{
    if (patching->open_high)
        raw_syscall3(SYS_mprotect, (long)patching->open_low,
                     (long)(patching->open_high - patching->open_low), PROT_READ);
    patching->open_low = patching->open_high = 0;
}

/* Makes the place writable if it is not.  All the pages that the loader has closed are opened
 * together, so that the mapping stays in one piece. */
static bool open_pages(struct patching *patching, const struct got_place *place)
{
    uint64_t at = (uint64_t)place->at;
    if (at >= patching->open_low && at < patching->open_high)
        return true;
    if (raw_is_writable(at))
        return true;
    close_pages(patching);
    INVARIANT(!patching->open_high); /* one stretch at a time */
    uint64_t low = at & ~4095ull, high = low + 4096;
    if (at >= place->object->fixed_low && at < place->object->fixed_high) {
        low = place->object->fixed_low;
        high = place->object->fixed_high;
    }
    if (raw_syscall3(SYS_mprotect, (long)low, (long)(high - low), PROT_READ | PROT_WRITE) < 0)
        return false;
    patching->open_low = low;
    patching->open_high = high;
    return true;
}

/* One store; unless the program or the loader was there first, and then it is theirs. */
static void replace(struct patching *patching, const struct got_place *place, uint64_t value,
                    const void *by)
{
    INVARIANT((uint64_t)place->at % sizeof(value) == 0 && by); /* so it is one store */
    if (open_pages(patching, place))
        __atomic_compare_exchange_n(place->at, &value, (uint64_t)by, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
    else
        patching->result = -EACCES;
}

/* The loader fills this place when the function is first called: it leads into the object's own
 * code, though the object has no such function. */
static bool is_unbound(const struct got_place *place, uint64_t value)
{
    return place->type == MACHINE_SLOT &&
           place->object->symbols[place->symbol].st_shndx == SHN_UNDEF &&
           object_holds(place->object, value, 1, PF_X);
}

static const struct hooked *find_by_name(const char *name)
{
    for (unsigned i = 0; i < HOOKED; i++) {
        if (is_used(&hooked[i]) && strcmp(hooked[i].name, name) == 0)
            return &hooked[i];
    }
    return NULL;
}

static bool find_place(const struct loaded_object *object, int which, size_t index,
                       struct got_place *place)
{
    const ElfW(Rela) *entry = &object->relocations[which][index];
    uint64_t at = object->bias + entry->r_offset;
    *place = (struct got_place){object, (uint64_t *)at, (uint32_t)ELF64_R_SYM(entry->r_info),
                                (uint32_t)ELF64_R_TYPE(entry->r_info)};
    if (place->type != MACHINE_SLOT && place->type != MACHINE_POINTER &&
        (place->type != MACHINE_WORD || entry->r_addend != 0))
        return false;
    return at % 8 == 0 && object_holds(object, at, 8, PF_R | PF_W) &&
           object_holds(object, (uint64_t)&object->symbols[place->symbol], sizeof(ElfW(Sym)), PF_R);
}

/* Whether the object calls somebody else's allocator (it was loaded with RTLD_DEEPBIND).  Then
 * its calls that are not looked up yet will lead there too. */
static bool is_estranged(const struct loaded_object *object)
{
    struct got_place place;
    for (size_t i = 0; i < object->relocation_count[RELOCATIONS_CALLS]; i++) {
        if (!find_place(object, RELOCATIONS_CALLS, i, &place))
            continue;
        uint64_t value = __atomic_load_n(place.at, __ATOMIC_RELAXED);
        const struct hooked *entry = is_unbound(&place, value)
                                         ? NULL
                                         : find_by_name(object_symbol_name(object, place.symbol));
        if (entry && entry < hooked + ALLOCATOR_PART && value != (uint64_t)entry->real &&
            value != (uint64_t)entry->hook)
            return true;
    }
    return false;
}

static void install_at(struct patching *patching, const struct got_place *place)
{
    uint64_t value = __atomic_load_n(place->at, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < HOOKED; i++) {
        if (value == (uint64_t)hooked[i].real && is_used(&hooked[i])) {
            replace(patching, place, value, hooked[i].hook);
            return;
        }
    }
    if (!is_unbound(place, value))
        return;
    const struct hooked *entry = find_by_name(object_symbol_name(place->object, place->symbol));
    if (entry && !(place->object->late && is_another_allocator) && !is_estranged(place->object)) {
        replace(patching, place, value, entry->hook);
        patching->unbound = true;
    }
}

static void remove_at(struct patching *patching, const struct got_place *place)
{
    uint64_t value = __atomic_load_n(place->at, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < HOOKED; i++) {
        if (value == (uint64_t)hooked[i].hook) {
            replace(patching, place, value, hooked[i].real);
            return;
        }
    }
}

/* The loader is about to run what new libraries begin with: they are in place, and none of their
 * code has run. */
static int loader_catches(void *exception, void (*operate)(void *), void *arguments);

static void patch_catch(struct patching *patching, const struct got_place *place)
{
    uint64_t value = __atomic_load_n(place->at, __ATOMIC_RELAXED);
    if (strcmp(object_symbol_name(place->object, place->symbol), CATCH) != 0)
        return;
    if (patching->install && value == (uint64_t)real_catch)
        replace(patching, place, value, loader_catches);
    else if (!patching->install && value == (uint64_t)loader_catches)
        replace(patching, place, value, real_catch);
}

/* ld.so has no table of its own for the allocator: it keeps the addresses of malloc and the like
 * among what is read-only once the program runs. */
static void patch_loader(struct patching *patching, const struct loaded_object *object)
{
    for (uint64_t at = object->fixed_low; at + 8 <= object->fixed_high; at += 8) {
        struct got_place place = {.object = object, .at = (uint64_t *)at};
        if (!object_holds(object, at, 8, PF_R | PF_W))
            continue;
        if (patching->install)
            install_at(patching, &place);
        else
            remove_at(patching, &place);
    }
}

static int patch_object(const struct loaded_object *object, void *context)
{
    struct patching *patching = context;
    struct got_place place;
    bool loader = object_function(object, "_r_debug") != NULL;
    if (patching->install != atomic_load(&installed))
        return 1; /* overtaken by the opposite */
    for (int which = 0; which < 2; which++) {
        for (size_t i = 0; i < object->relocation_count[which]; i++) {
            if (!find_place(object, which, i, &place))
                continue;
            if (patching->install)
                install_at(patching, &place);
            else
                remove_at(patching, &place);
            if (loader)
                patch_catch(patching, &place);
        }
    }
    if (loader)
        patch_loader(patching, object);
    close_pages(patching);
    return 0;
}

static int look_for_allocator(const struct loaded_object *object, void *unused)
{
    void *own = object->late ? object_function(object, hooked[0].name) : NULL;
    (void)unused;
    return own && own != hooked[0].real && !object_function(object, "memoir_tracer_attach");
}

void hooks_extend(void)
{
    struct patching patching = {.install = true};
    struct objects_mark before = seen;
    if (!atomic_load(&installed))
        return;
    if (objects_each(look_for_allocator, NULL, &before) == 1)
        is_another_allocator = true;
    objects_each(patch_object, &patching, &seen);
    told_join();
}

static int loader_catches(void *exception, void (*operate)(void *), void *arguments)
{
    if (!exception)
        hooks_extend();
    return real_catch(exception, operate, arguments);
}

/* Looks for the loader's table. */
static int look_at_loader(const struct loaded_object *object, void *unused)
{
    struct got_place place;
    (void)unused;
    if (!object_function(object, "_r_debug"))
        return 0;
    for (size_t i = 0; i < object->relocation_count[RELOCATIONS_CALLS]; i++) {
        if (find_place(object, RELOCATIONS_CALLS, i, &place) &&
            strcmp(object_symbol_name(object, place.symbol), CATCH) == 0 &&
            (*place.at == (uint64_t)real_catch || *place.at == (uint64_t)loader_catches))
            return 1;
    }
    return 0;
}

static bool find_functions(void)
{
    for (unsigned i = 0; i < HOOKED; i++) {
        if (hooked[i].real)
            continue;
        hooked[i].real = objects_function(hooked[i].name);
        if (hooked[i].hook == dlopen_hook)
            dlopen_real = hooked[i].real;
        if (hooked[i].hook == dlsym_hook)
            dlsym_real = hooked[i].real;
    }
    if (!real_catch)
        real_catch = (catch_fn *)objects_function(CATCH);
    loader_tells = real_catch && objects_each(look_at_loader, NULL, NULL) == 1;
    is_another_allocator = objects_each(look_for_allocator, NULL, NULL) == 1;
    return hooked[0].real && hooked[1].real;
}

int hooks_install(void)
{
    struct patching patching = {.install = true};
    if (!find_functions())
        return -ENOSYS;
    seen = (struct objects_mark){0};
    atomic_store(&installed, true);
    objects_each(patch_object, &patching, &seen);
    if (patching.unbound) /* the loader may have filled some of them at the same moment */
        objects_each(patch_object, &patching, NULL);
    if (patching.result < 0)
        hooks_remove();
    return patching.result;
}

void hooks_remove(void)
{
    struct patching patching = {0};
    atomic_store(&installed, false);
    if (hooked[0].real)
        objects_each(patch_object, &patching, NULL);
}
