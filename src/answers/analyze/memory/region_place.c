/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/region_place.h"

#include <stdio.h>
#include <string.h>

/* What comes behind the label. */
enum item_from { ITEM_NONE, ITEM_REST, ITEM_FILE };

struct name_rule {
    const char *pattern; /* of the whole name; '*' may be at its end only */
    enum breakdown_section section;
    const char *label; /* NULL: the rest of the name */
    enum item_from item;
    enum breakdown_evidence evidence;
};

static const struct name_rule name_rules[] = {
    {"[heap]", SECTION_ALLOCATOR, "Heap (brk)", ITEM_NONE, EVIDENCE_KERNEL},
    {"[stack]", SECTION_STACKS, "Main", ITEM_NONE, EVIDENCE_KERNEL},
    {"[stack:*", SECTION_STACKS, "Threads", ITEM_NONE, EVIDENCE_KERNEL},
    {"[anon: Go: OS thread stack]", SECTION_RUNTIME, "Stack", ITEM_NONE, EVIDENCE_NAME},
    {"[anon: Go: goroutine stack*", SECTION_RUNTIME, "Stack", ITEM_NONE, EVIDENCE_NAME},
    {"[anon: Go: heap]", SECTION_RUNTIME, "Heap", ITEM_NONE, EVIDENCE_NAME},
    {"[anon: Go: heap reservation]", SECTION_RUNTIME, "Heap", ITEM_NONE, EVIDENCE_NAME},
    {"[anon: Go: user arena chunk]", SECTION_RUNTIME, "Heap", ITEM_NONE, EVIDENCE_NAME},
    {"[anon: Go: *", SECTION_RUNTIME, "Metadata", ITEM_REST, EVIDENCE_NAME},
    {"[anon: glibc: malloc arena]", SECTION_ALLOCATOR, "Thread arenas", ITEM_NONE, EVIDENCE_NAME},
    {"[anon: glibc: malloc]", SECTION_ALLOCATOR, "Large blocks", ITEM_NONE, EVIDENCE_NAME},
    {"[anon: glibc: loader malloc]", SECTION_ALLOCATOR, "Loader", ITEM_NONE, EVIDENCE_NAME},
    {"[anon: glibc: pthread*", SECTION_STACKS, "Threads", ITEM_NONE, EVIDENCE_NAME},
    {"[anon: glibc: unused stack]", SECTION_STACKS, "Unused", ITEM_NONE, EVIDENCE_NAME},
    {"[anon:tcmalloc*", SECTION_ALLOCATOR, "tcmalloc", ITEM_NONE, EVIDENCE_NAME},
    {"[anon:jemalloc*", SECTION_ALLOCATOR, "jemalloc", ITEM_NONE, EVIDENCE_NAME},
    {"[anon:mimalloc*", SECTION_ALLOCATOR, "mimalloc", ITEM_NONE, EVIDENCE_NAME},
    {"[anon:OCaml*", SECTION_RUNTIME, "Heap", ITEM_REST, EVIDENCE_NAME},
    {"[anon:*", SECTION_NAMED, NULL, ITEM_NONE, EVIDENCE_NAME},
    {"[anon_shmem:*", SECTION_NAMED, NULL, ITEM_NONE, EVIDENCE_NAME},
    {"[v*", SECTION_OTHER, "Kernel pages (vdso, vvar)", ITEM_NONE, EVIDENCE_KERNEL},
    {"/memfd:memoir *", SECTION_SHARED, "memoir's own", ITEM_NONE, EVIDENCE_KERNEL},
    {"/memfd:libmemoir.so*", SECTION_SHARED, "memoir's own", ITEM_NONE, EVIDENCE_KERNEL},
    {"/memfd:*", SECTION_SHARED, "memfd", ITEM_REST, EVIDENCE_KERNEL},
    {"/SYSV*", SECTION_SHARED, "System V", ITEM_REST, EVIDENCE_KERNEL},
    {"/dev/zero (deleted)", SECTION_SHARED, "Shared anonymous", ITEM_NONE, EVIDENCE_KERNEL},
    {"/dev/zero", SECTION_SHARED, "Shared anonymous", ITEM_NONE, EVIDENCE_KERNEL},
    {"/anon_hugepage*", SECTION_ANONYMOUS, "Hugetlb", ITEM_NONE, EVIDENCE_KERNEL},
    {"/dev/shm/*", SECTION_SHARED, "/dev/shm", ITEM_REST, EVIDENCE_KERNEL},
    {"/dev/*", SECTION_FILE, "Devices", ITEM_FILE, EVIDENCE_KERNEL},
};

/* Ends of file names that databases map. */
static const char *const database_ends[] = {".mdb", "mdbx.dat", ".sst", ".ldb",
                                            ".db",  ".sqlite",  "-shm"};

/* A pattern may have one '*', at its end. */
static bool name_matches(const char *name, const char *pattern)
{
    size_t const size = strlen(pattern);
    if (pattern[size - 1] == '*')
        return strncmp(name, pattern, size - 1) == 0;
    return strcmp(name, pattern) == 0;
}

static size_t without_end(const char *name, size_t size, const char *end)
{
    size_t const length = strlen(end);
    return size >= length && memcmp(name + size - length, end, length) == 0 ? size - length : size;
}

/* What stands for the '*', without the bracket or " (deleted)" behind it. */
static void put_rest(const char *name, const char *pattern, char *text, size_t room)
{
    const char *rest = name + strlen(pattern) - 1;
    size_t size = without_end(rest, strlen(rest), " (deleted)");
    if (name[0] == '[')
        size = without_end(rest, size, "]");
    name_without_number(rest, size, text, room);
}

static void put_file_name(const char *path, char *text, size_t room)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : path;
    snprintf(text, room, "%.*s", (int)without_end(name, strlen(name), " (deleted)"), name);
}

/* "libx.so", "libx.so.6": the last part of the path has ".so" at its end or before a dot. */
static bool is_library_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *found = strstr(slash ? slash : path, ".so");
    return found && (found[3] == '\0' || found[3] == '.' || found[3] == ' ');
}

static bool is_database_name(const char *path)
{
    size_t const size = without_end(path, strlen(path), " (deleted)");
    for (size_t i = 0; i < sizeof(database_ends) / sizeof(database_ends[0]); i++)
        if (without_end(path, size, database_ends[i]) < size)
            return true;
    return false;
}

static bool is_program(const char *path, const char *program)
{
    size_t const size = strlen(program);
    return size > 0 && strlen(path) >= size && memcmp(path, program, size) == 0 &&
           (path[size] == '\0' || strcmp(path + size, " (deleted)") == 0);
}

static void place(struct region_place *place, enum breakdown_section section, const char *label)
{
    place->section = section;
    snprintf(place->label, sizeof(place->label), "%s", label);
}

static void place_file(const struct memory_region *region, const struct region_context *context,
                       struct region_place *into)
{
    const char *label = is_program(region->name, context->program)           ? "Program"
                        : context->has_code || is_library_name(region->name) ? "Shared Libraries"
                        : is_database_name(region->name)                     ? "Databases"
                                                                             : "Other Files";
    place(into, SECTION_FILE, label);
    put_file_name(region->name, into->item, sizeof(into->item));
}

/* Code that was made at run time is executable, whether it may be written as well or not. */
static void place_nameless(const struct memory_region *region, struct region_place *into)
{
    const char *label = region->rights[2] == 'x'   ? "Executable"
                        : region->rights[1] == 'w' ? "Read-Write"
                        : region->rights[0] == 'r' ? "Read-Only"
                                                   : "No access";
    place(into, SECTION_ANONYMOUS, label);
}

static const struct name_rule *find_rule(const char *name)
{
    for (size_t i = 0; i < sizeof(name_rules) / sizeof(name_rules[0]); i++)
        if (name_matches(name, name_rules[i].pattern))
            return &name_rules[i];
    return NULL;
}

void region_place_find(const struct memory_region *region, const struct region_context *context,
                       struct region_place *into)
{
    const char *name = region->name;
    const struct name_rule *rule = name[0] ? find_rule(name) : NULL;
    *into = (struct region_place){.evidence = rule ? rule->evidence : EVIDENCE_KERNEL};
    if (rule && rule->label) {
        place(into, rule->section, rule->label);
        if (rule->item == ITEM_REST)
            put_rest(name, rule->pattern, into->item, sizeof(into->item));
        else if (rule->item == ITEM_FILE)
            put_file_name(name, into->item, sizeof(into->item));
    } else if (rule) {
        into->section = rule->section;
        put_rest(name, rule->pattern, into->label, sizeof(into->label));
    } else if (name[0] == '/') {
        place_file(region, context, into);
    } else if (name[0] == '\0') {
        place_nameless(region, into);
    } else {
        place(into, SECTION_OTHER, name);
    }
}
