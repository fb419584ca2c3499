/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/stacks/rules.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "tracer/process/arena_raise.h"
#include "tracer/process/loaded_elf.h"
#include "tracer/rings/turn.h"
#include "unwind/row_program.h"
#include "wire/invariant.h"

/* glibc 2.35 and later: lock-free, safe in signal handlers.  Without it stacks have one frame. */
#pragma weak _dl_find_object

extern void *__libc_stack_end; /* a variable of the loader's */

#define MODULES_KNOWN 1024

/* What this process knows of its own modules; the arena has what the recorder needs. */
struct known_module {
    _Atomic uint64_t start; /* 0: free; written last */
    uint64_t end;
    const void *map,
        *tables; /* link map and unwind tables: another library may come to the same place */
    uint32_t index;
    struct eh_view view;
};

_Atomic uint64_t near_rules[1 << NEAR_BITS];
struct rule_entry far_rules[1 << RULE_CACHE_BITS];
_Atomic uint64_t rule_generation;
struct rules_loader rules_loader;
static struct known_module known[MODULES_KNOWN];
static struct turn learning;

static bool is_same(const struct known_module *module, const struct dl_find_object *found)
{
    return module->end == (uint64_t)found->dlfo_map_end && module->map == found->dlfo_link_map &&
           module->tables == found->dlfo_eh_frame;
}

static struct known_module *find_known(const struct dl_find_object *found)
{
    uint64_t start = (uint64_t)found->dlfo_map_start;
    uint32_t at = (uint32_t)(start >> 12) % MODULES_KNOWN;
    for (uint32_t i = 0; i < 16; i++) {
        struct known_module *module = &known[(at + i) % MODULES_KNOWN];
        if (atomic_load_explicit(&module->start, memory_order_acquire) == start &&
            is_same(module, found))
            return module;
    }
    return NULL;
}

/* Rules known by an older generation are not found any more.  Near ones have only a few bits of
 * it. */
static void begin_generation(void)
{
    uint64_t generation = (atomic_fetch_add(&rule_generation, 1ull << 48) >> 48) + 1;
    if ((generation & NEAR_GENERATION) != 0)
        return;
    for (unsigned i = 0; i < 1u << NEAR_BITS; i++)
        atomic_store_explicit(&near_rules[i], 0, memory_order_relaxed);
}

/* Forgets modules that are not there any more, or have another in their place.  The C library
 * closes its own (converters between character sets) without a call that anybody sees. */
static void forget_gone(void)
{
    struct dl_find_object found;
    bool gone = false;
    for (unsigned i = 0; i < MODULES_KNOWN; i++) {
        uint64_t start = atomic_load(&known[i].start);
        if (start && (_dl_find_object((void *)start, &found) != 0 || !is_same(&known[i], &found))) {
            atomic_store(&known[i].start, 0);
            gone = true;
        }
    }
    if (gone)
        begin_generation();
}

/* A free entry, or NULL. */
static struct known_module *find_room(uint64_t start)
{
    uint32_t at = (uint32_t)(start >> 12) % MODULES_KNOWN;
    for (uint32_t i = 0; i < 16; i++) {
        struct known_module *module = &known[(at + i) % MODULES_KNOWN];
        if (atomic_load_explicit(&module->start, memory_order_relaxed) == 0)
            return module;
    }
    return NULL;
}

static void copy_build_id(struct arena_module *module, const ElfW(Phdr) * note, uint64_t bias)
{
    const char *at = (const char *)(bias + note->p_vaddr);
    const char *end = at + note->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)at;
        const char *name = at + sizeof(*header);
        const char *data = name + ((header->n_namesz + 3u) & ~3u);
        if (data > end || header->n_descsz > (size_t)(end - data))
            return;
        if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 &&
            memcmp(name, "GNU", 4) == 0 && header->n_descsz <= sizeof(module->build_id)) {
            memcpy(module->build_id, data, header->n_descsz);
            module->build_id_size = header->n_descsz;
            return;
        }
        at = data + ((header->n_descsz + 3u) & ~3u);
    }
}

static const char *module_name(const struct link_map *map)
{
    return map->l_name && map->l_name[0]
               ? map->l_name
               : arena_process_at(tracer_process.arena, tracer_process.process)->path;
}

static bool is_published(struct arena_module *module, const struct dl_find_object *found)
{
    return atomic_load(&module->state) == MODULE_READY && module->family == tracer_process.family &&
           module->start == (uint64_t)found->dlfo_map_start &&
           module->end == (uint64_t)found->dlfo_map_end &&
           strncmp(module->path, module_name(found->dlfo_link_map), sizeof(module->path) - 1) == 0;
}

/* A library that comes back to where it was is the same module, or plugins would fill the list. */
static uint32_t find_published(const struct dl_find_object *found)
{
    uint32_t high = atomic_load(&tracer_process.header->module_high);
    for (uint32_t i = 1; i < high && i < ARENA_MODULES; i++) {
        if (is_published(arena_module_at(tracer_process.arena, i), found))
            return i;
    }
    return MODULE_UNKNOWN;
}

/* An entry for a new module, or MODULE_UNKNOWN when the list is full. */
static uint32_t claim_entry(void)
{
    for (uint32_t i = 1; i < ARENA_MODULES; i++) {
        uint32_t state = MODULE_FREE;
        _Atomic uint32_t *word = &arena_module_at(tracer_process.arena, i)->state;
        if (atomic_load_explicit(word, memory_order_relaxed) == MODULE_FREE &&
            atomic_compare_exchange_strong(word, &state, MODULE_TAKING)) {
            arena_raise(&tracer_process.header->module_high, i);
            return i;
        }
    }
    atomic_fetch_add(&tracer_process.header->unlisted_modules, 1);
    return MODULE_UNKNOWN;
}

/* Tells the recorder of a module.  Its index, or MODULE_UNKNOWN when the list is full. */
static uint32_t publish(const struct dl_find_object *found, const ElfW(Ehdr) * elf)
{
    uint32_t index = find_published(found);
    if (index != MODULE_UNKNOWN || (index = claim_entry()) == MODULE_UNKNOWN)
        return index;
    struct arena_module *module = arena_module_at(tracer_process.arena, index);
    INVARIANT(index > MODULE_UNKNOWN && index < ARENA_MODULES);
    const struct link_map *map = found->dlfo_link_map;
    module->family = tracer_process.family;
    module->start = (uint64_t)found->dlfo_map_start;
    module->end = (uint64_t)found->dlfo_map_end;
    module->bias = map->l_addr;
    module->build_id_size = 0;
    const char *name = module_name(map);
    size_t size = strlen(name);
    if (size >= sizeof(module->path))
        size = sizeof(module->path) - 1;
    memcpy(module->path, name, size);
    module->path[size] = '\0';
    if (elf) {
        const ElfW(Phdr) *segment = (const ElfW(Phdr) *)((const char *)elf + elf->e_phoff);
        for (unsigned i = 0; i < elf->e_phnum && !module->build_id_size; i++) {
            if (segment[i].p_type == PT_NOTE)
                copy_build_id(module, &segment[i], map->l_addr);
        }
    }
    atomic_store_explicit(&module->state, MODULE_READY, memory_order_release);
    return index;
}

/* The loaded segment that holds the unwind tables: reads stay inside it. */
static void find_view(const struct dl_find_object *found, const ElfW(Ehdr) * elf,
                      struct eh_view *view)
{
    uint64_t tables = (uint64_t)found->dlfo_eh_frame, bias = found->dlfo_link_map->l_addr;
    memset(view, 0, sizeof(*view));
    if (!tables || !elf)
        return;
    const ElfW(Phdr) *segment = (const ElfW(Phdr) *)((const char *)elf + elf->e_phoff);
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        uint64_t low = bias + segment[i].p_vaddr, high = low + segment[i].p_memsz;
        if (segment[i].p_type == PT_LOAD && tables >= low && tables < high) {
            view->header = (const uint8_t *)tables;
            view->low = (const uint8_t *)low;
            view->high = (const uint8_t *)high;
        }
    }
}

/* What is new about it; NULL when there is no room for it. */
static struct known_module *learn_module(const struct dl_find_object *found)
{
    forget_gone();
    struct known_module *room = find_room((uint64_t)found->dlfo_map_start);
    if (!room)
        return NULL;
    const ElfW(Ehdr) *elf = loaded_elf_header(found);
    room->end = (uint64_t)found->dlfo_map_end;
    room->map = found->dlfo_link_map;
    room->tables = found->dlfo_eh_frame;
    find_view(found, elf, &room->view);
    room->index = publish(found, elf);
    atomic_store_explicit(&room->start, (uint64_t)found->dlfo_map_start, memory_order_release);
    return room;
}

/* NULL: it is in no module, or in one of which nothing can be learned. */
static struct known_module *module_of(uint64_t pc)
{
    struct dl_find_object found;
    if (!_dl_find_object || _dl_find_object((void *)pc, &found) != 0)
        return NULL;
    struct known_module *module = find_known(&found);
    if (module || !turn_claim(&learning, true)) /* rare: once per module */
        return module;
    /* Meanwhile another thread may have learned it, or closed it. */
    if (_dl_find_object((void *)pc, &found) == 0) {
        module = find_known(&found);
        if (!module)
            module = learn_module(&found);
    }
    turn_give(&learning);
    return module;
}

/* Where rows are made: stacks of coroutines and of small threads have no room for that.  One
 * that a handler jumped away from is still its thread's. */
#define DESKS 16u
static struct desk {
    _Atomic uint64_t owner; /* the thread pointer; 0: free */
    struct row_state state;
} desks[DESKS];

/* NULL when none is free. */
static struct desk *claim_desk(void)
{
    uint64_t const self = (uint64_t)__builtin_thread_pointer();
    for (unsigned i = 0; i < DESKS; i++) {
        uint64_t owner = 0;
        if (atomic_compare_exchange_strong(&desks[i].owner, &owner, self) || owner == self)
            return &desks[i];
    }
    return NULL;
}

static void leave_desk(struct desk *desk)
{
    INVARIANT(desk >= desks && desk < desks + DESKS);
    atomic_store_explicit(&desk->owner, 0, memory_order_release);
}

static int make_row(uint64_t pc, struct row_state *state, uint32_t *index)
{
    struct known_module *module = module_of(pc);
    *index = module ? module->index : MODULE_UNKNOWN;
    if (!module || !module->view.header)
        return -ENOENT;
    int err = eh_frame_row_in(&module->view, pc, state);
    /* A return address at the very first byte of a function, with nobody's code before it, was
     * never a call: makecontext put it there, as the outer end of a new stack. */
    if (err == -ENOENT && eh_frame_row_in(&module->view, pc + 1, state) == 0) {
        state->row.registers[REG_IP].place = PLACE_UNDEFINED;
        return 0;
    }
    return err;
}

static __attribute__((noinline)) int row_on_stack(uint64_t pc, struct unwind_row *row,
                                                  uint32_t *index)
{
    struct row_state state;
    int const err = make_row(pc, &state, index);
    *row = state.row;
    return err;
}

int rules_row(uint64_t pc, struct unwind_row *row, uint32_t *index)
{
    struct desk *desk = claim_desk();
    if (!desk)
        return row_on_stack(pc, row, index);
    int const err = make_row(pc, &desk->state, index);
    *row = desk->state.row;
    leave_desk(desk);
    return err;
}

static unwind_rule compile_in(uint64_t pc, struct row_state *state, uint32_t *module)
{
    return make_row(pc, state, module) < 0 ? rule_make(RULE_MISSING, 0, 0, *module)
                                           : rule_from_row(&state->row, *module);
}

static __attribute__((noinline)) unwind_rule compile_on_stack(uint64_t pc, uint32_t *module)
{
    struct row_state state;
    return compile_in(pc, &state, module);
}

unwind_rule rules_compile(uint64_t pc)
{
    uint32_t module;
    uint64_t generation = atomic_load(&rule_generation);
    struct desk *desk = claim_desk();
    unwind_rule const rule =
        desk ? compile_in(pc, &desk->state, &module) : compile_on_stack(pc, &module);
    if (desk)
        leave_desk(desk);
    /* Code in no module may be compiled anew at any time: not worth remembering. */
    if (rule == rule_make(RULE_MISSING, 0, 0, MODULE_UNKNOWN))
        return rule;

    uint32_t const at = far_place(pc);
    INVARIANT(at < 1u << RULE_CACHE_BITS);
    struct rule_entry *first = &far_rules[at], *second = &far_rules[at ^ 1];
    struct rule_entry *entry = atomic_load(&first->rule) == 0 ? first : second;
    if (atomic_load(&first->rule) != 0 && atomic_load(&second->rule) != 0)
        entry = pc & 16 ? first : second;
    atomic_store_explicit(&entry->rule, rule, memory_order_relaxed);
    atomic_store_explicit(&entry->check, rule ^ (pc | generation), memory_order_relaxed);
    return rule;
}

unwind_rule rules_learn_near(uint64_t ret)
{
    uint32_t const at = near_place(ret);
    uint64_t const cover = near_cover(); /* of before the rule is made */
    unwind_rule rule = rules_find(ret - 1);
    if (rule_module(rule) == MODULE_UNKNOWN)
        return rule; /* code that may be compiled anew at any time */
    rule &= (1ull << RULE_BITS) - 1;
    _Atomic uint64_t *first = &near_rules[at], *second = &near_rules[at ^ NEAR_OTHER];
    _Atomic uint64_t *entry = atomic_load(first) == 0 ? first : second;
    if (atomic_load(first) != 0 && atomic_load(second) != 0)
        entry = ret >> NEAR_BITS & 1 ? first : second;
    atomic_store_explicit(entry, near_uncover(rule, cover, ret), memory_order_relaxed);
    return rule;
}

void rules_start_up(void)
{
    struct dl_find_object found;
    if (!_dl_find_object || _dl_find_object(&__libc_stack_end, &found) != 0)
        return;
    rules_loader.start = (uint64_t)found.dlfo_map_start;
    rules_loader.size = (uint64_t)found.dlfo_map_end - rules_loader.start;
}

void rules_modules_changed(void)
{
    if (_dl_find_object)
        forget_gone();
}

void rules_forked(void)
{
    bool left = false;
    turn_give(&learning);
    for (unsigned i = 0; i < DESKS; i++)
        leave_desk(&desks[i]);
    for (unsigned i = 0; i < MODULES_KNOWN; i++) {
        struct arena_module *module = arena_module_at(tracer_process.arena, known[i].index);
        uint64_t start = atomic_load(&known[i].start);
        if (start && known[i].index != MODULE_UNKNOWN &&
            (atomic_load(&module->state) != MODULE_READY ||
             module->family != tracer_process.family || module->start != start)) {
            atomic_store(&known[i].start, 0);
            left = true;
        }
    }
    if (left)
        begin_generation();
}

void rules_forget(void)
{
    turn_give(&learning);
    for (unsigned i = 0; i < MODULES_KNOWN; i++)
        atomic_store(&known[i].start, 0);
    begin_generation();
}
