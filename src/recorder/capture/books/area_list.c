/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/area_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/invariant.h"
#include "wire/inside.h"

#define ARENA_ALIGN   (64ull << 20) /* of glibc's heaps for threads */
#define GUARD_MAX     (1ull << 20)
#define GO_HEAP_START 0xc000000000ull
#define GO_HEAP_END   0xd000000000ull
#define NAME_BYTES    320

struct area_making {
    const struct area_question *question;
    struct area_list *list;
    size_t stack, mapped, known; /* cursors */
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    size_t const length = strlen(text), tail = strlen(with);
    return length >= tail && strcmp(text + length - tail, with) == 0;
}

/* Pages of devices, of the kernel's own and of hugetlbfs are in no count of the process. */
static bool is_uncounted(const struct map_region *region)
{
    const char *name = region->name;
    if (begins(name, "/anon_hugepage") || begins(name, "[vvar") || strcmp(name, "[vsyscall]") == 0)
        return true;
    return begins(name, "/dev/") && !begins(name, "/dev/shm/") && !begins(name, "/dev/zero");
}

static bool is_ours(const char *name)
{
    return begins(name, "/memfd:memoir") || begins(name, "/memfd:libmemoir.so") ||
           ends(name, "/libmemoir.so");
}

static bool is_anonymous(const struct map_region *region)
{
    return region->inode == 0 && region->name[0] == '\0';
}

/* The memory that a program's file leaves to be filled with zeros follows its data. */
static const struct map_region *file_before(const struct area_question *question, size_t index)
{
    const struct map_region *region = &question->maps->regions.items[index];
    const struct map_region *before = index ? region - 1 : NULL;
    return before && before->end == region->start && before->inode && before->writable &&
                   !before->shared
               ? before
               : NULL;
}

/* A heap of glibc's for threads says at its beginning which arena it belongs to: at a known
 * place of an aligned heap. */
static bool is_thread_arena(int memory, const struct map_region *region)
{
    uint64_t arena = 0;
    if (region->start % ARENA_ALIGN || !region->readable || !region->writable)
        return false;
    if (pread(memory, &arena, sizeof(arena), (off_t)region->start) != (ssize_t)sizeof(arena))
        return false;
    return arena % ARENA_ALIGN == 0x30 || arena % ARENA_ALIGN == 0x20;
}

/* Where jumps from an allocator inside the program lead to us. */
static bool has_our_hooks(int memory, const struct map_region *region)
{
    char sign[INSIDE_SIGNED];
    return region->readable && !region->writable &&
           pread(memory, sign, sizeof(sign), (off_t)region->start) == (ssize_t)sizeof(sign) &&
           memcmp(sign, INSIDE_SIGN, sizeof(sign)) == 0;
}

/* The thread whose stack it is, or 0. */
static uint32_t thread_of(struct area_making *making, const struct map_region *region)
{
    const struct area_question *question = making->question;
    while (making->stack < question->stack_count &&
           question->stacks[making->stack].address < region->start)
        making->stack++;
    INVARIANT(making->stack <= question->stack_count);
    return making->stack < question->stack_count &&
                   question->stacks[making->stack].address < region->end
               ? question->stacks[making->stack].tid
               : 0;
}

static bool is_mapped_by_program(struct area_making *making, const struct map_region *region)
{
    const struct area_question *question = making->question;
    while (making->mapped < question->mapped_count &&
           question->mapped[making->mapped].end <= region->start)
        making->mapped++;
    return making->mapped < question->mapped_count &&
           question->mapped[making->mapped].start < region->end;
}

/* libc keeps the stacks of threads that ended, each above its guard. */
static bool is_old_stack(struct area_making *making, size_t index)
{
    const struct map_region *region = &making->question->maps->regions.items[index];
    const struct map_region *before = index ? region - 1 : NULL;
    return before && before->end == region->start && is_anonymous(before) && !before->readable &&
           !before->writable && !before->executable && before->end - before->start <= GUARD_MAX &&
           !is_mapped_by_program(making, region);
}

static int by_number(const void *left, const void *right)
{
    const struct thread_known *a = left, *b = right;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void name_stack(const struct area_making *making, uint32_t tid, char name[NAME_BYTES])
{
    const struct area_question *question = making->question;
    struct thread_known const wanted = {.tid = tid};
    const struct thread_known *thread =
        question->thread_count
            ? bsearch(&wanted, question->threads, question->thread_count, sizeof(wanted), by_number)
            : NULL;
    bool const has_name = thread && thread->name[0];
    snprintf(name, NAME_BYTES, "stack of thread %u%s%s", tid, has_name ? ", " : "",
             has_name ? thread->name : "");
}

static enum owner_kind judge_anonymous(struct area_making *making, size_t index,
                                       char name[NAME_BYTES])
{
    const struct map_region *region = &making->question->maps->regions.items[index];
    const struct map_region *file = file_before(making->question, index);
    uint32_t const tid = thread_of(making, region);
    if (file) {
        snprintf(name, NAME_BYTES, "%s", is_ours(file->name) ? "memoir" : file->name);
        return is_ours(file->name) ? OWNER_OWN : OWNER_FILE;
    }
    if (tid) {
        name_stack(making, tid, name);
        return OWNER_STACK;
    }
    if (region->start >= GO_HEAP_START && region->end <= GO_HEAP_END) {
        snprintf(name, NAME_BYTES, "heap of Go");
        return OWNER_RUNTIME;
    }
    if (region->executable && has_our_hooks(making->question->memory, region)) {
        snprintf(name, NAME_BYTES, "memoir");
        return OWNER_OWN;
    }
    if (region->executable) {
        snprintf(name, NAME_BYTES, "code made at run time");
        return OWNER_RUNTIME;
    }
    if (is_thread_arena(making->question->memory, region)) {
        snprintf(name, NAME_BYTES, "arena of threads at %" PRIx64, region->start);
        return OWNER_KEPT;
    }
    if (region->writable && is_old_stack(making, index)) {
        snprintf(name, NAME_BYTES, "stacks of ended threads");
        return OWNER_STACK;
    }
    snprintf(name, NAME_BYTES, "anonymous memory");
    return OWNER_OTHER;
}

static enum owner_kind judge(struct area_making *making, size_t index, char name[NAME_BYTES])
{
    const struct map_region *region = &making->question->maps->regions.items[index];
    if (is_anonymous(region))
        return judge_anonymous(making, index, name);
    if (is_ours(region->name)) {
        snprintf(name, NAME_BYTES, "memoir");
        return OWNER_OWN;
    }
    if (strcmp(region->name, "[heap]") == 0) {
        snprintf(name, NAME_BYTES, "main arena");
        return OWNER_KEPT;
    }
    if (strcmp(region->name, "[stack]") == 0) {
        name_stack(making, making->question->pid, name);
        return OWNER_STACK;
    }
    snprintf(name, NAME_BYTES, "%s", region->name);
    return begins(region->name, "[anon") ? OWNER_RUNTIME : OWNER_FILE;
}

static int add_named(struct area_making *making, struct owner_area area, const char *name)
{
    struct slice const text = {name, strlen(name)};
    if (string_table_intern(making->list->names, text, &area.name) < 0)
        return -ENOMEM;
    return vec_push(&making->list->areas, area) ? 0 : -ENOMEM;
}

/* What a runtime has of anonymous memory is its own, the rest stays what it is. */
static int add_pieces(struct area_making *making, struct owner_area area, const char *name)
{
    const struct area_question *question = making->question;
    uint64_t const end = area.end;
    while (making->known < question->known_count &&
           question->known[making->known].end <= area.start)
        making->known++;
    for (size_t i = making->known; area.start < end; area.start = area.end) {
        const struct known_area *known = i < question->known_count ? &question->known[i] : NULL;
        bool const is_known = known && known->start <= area.start;
        uint64_t const until = !known ? end : is_known ? known->end : known->start;
        struct owner_area piece = area;
        piece.end = area.end = until < end ? until : end;
        if (is_known) {
            piece.kind = OWNER_RUNTIME;
            piece.may_be_heap = piece.is_memory = false;
        }
        if (add_named(making, piece, is_known ? known->name : name) < 0)
            return -ENOMEM;
        i += is_known;
    }
    return 0;
}

static int add_area(struct area_making *making, size_t index)
{
    const struct map_region *region = &making->question->maps->regions.items[index];
    char name[NAME_BYTES];
    struct owner_area area = {.start = region->start, .end = region->end};
    if (is_uncounted(region))
        return 0;
    area.kind = judge(making, index, name);
    area.may_be_heap = is_anonymous(region) && region->writable;
    /* Not only what has no other name: a mapping may lie behind a file's data, or have a stack
     * in it. */
    area.is_memory = (is_anonymous(region) && area.kind != OWNER_RUNTIME) ||
                     (region->shared && begins(region->name, "/dev/zero"));
    return area.kind == OWNER_OTHER && is_anonymous(region) ? add_pieces(making, area, name)
                                                            : add_named(making, area, name);
}

int area_list_make(const struct area_question *question, struct area_list *list)
{
    struct area_making making = {.question = question, .list = list};
    *list = (struct area_list){.names = string_table_create()};
    int err = list->names ? 0 : -ENOMEM;
    for (size_t i = 0; i < question->maps->regions.count && err == 0; i++)
        err = add_area(&making, i);
    INVARIANT(making.known <= question->known_count && making.mapped <= question->mapped_count);
    if (err < 0)
        area_list_fini(list);
    return err;
}

void area_list_fini(struct area_list *list)
{
    vec_free(&list->areas);
    string_table_destroy(list->names);
    list->names = NULL;
}
