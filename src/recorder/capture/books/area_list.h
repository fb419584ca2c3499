/* area_list.h - what each mapping of a process is, as far as the mapping alone tells. */
#pragma once

#include "capture/pages/page_owners.h"
#include "model/string_table.h"
#include "procfs/memory/maps.h"

/* Thread `tid` has its stack at `address`. */
struct stack_spot {
    uint64_t address;
    uint32_t tid;
};

/* Memory of a runtime, as the runtime told it. */
struct known_area {
    uint64_t start, end;
    const char *name;
};

/* A thread and its name. */
struct thread_known {
    uint32_t tid;
    char name[32];
};

struct area_question {
    uint32_t pid;
    int memory; /* PROC_MEM of the process; -1: its memory cannot be read. */
    const struct map_list *maps;
    const struct thread_known *threads; /* By TID. */
    size_t thread_count;
    const struct stack_spot *stacks;
    size_t stack_count;
    const struct owner_range *mapped; /* By the program itself. */
    size_t mapped_count;
    const struct known_area *known; /* By address; used where the mapping itself tells nothing. */
    size_t known_count;
};

struct area_list {
    VEC(struct owner_area) areas; /* By address; their names are IDs in `names`. */
    struct string_table *names;
};

/* Fills the list.  Leaves out mappings whose pages the kernel does not count (devices).  Returns 0,
 * or -ENOMEM with an empty list. */
int area_list_make(const struct area_question *question, struct area_list *list);
void area_list_fini(struct area_list *list);
