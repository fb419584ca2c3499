/* area_list.h - what each mapping of a process is, when one looks at nothing but the mapping
 * itself. */
#pragma once

#include "capture/pages/page_owners.h"
#include "model/string_table.h"
#include "procfs/memory/maps.h"

/* A thread's stack, by an address in it. */
struct stack_spot {
    uint64_t address;
    uint32_t tid;
};

/* Memory of a runtime, as somebody knows who has asked it. */
struct known_area {
    uint64_t start, end;
    const char *name;
};

/* A thread by its name. */
struct thread_known {
    uint32_t tid;
    char name[32];
};

struct area_question {
    uint32_t pid;
    int memory; /* PROC_MEM of the process; -1: nothing of it can be read */
    const struct map_list *maps;
    const struct thread_known *threads; /* by number */
    size_t thread_count;
    const struct stack_spot *stacks;
    size_t stack_count;
    const struct owner_range *mapped; /* by the program itself */
    size_t mapped_count;
    const struct known_area *known; /* by address; counts where the mapping itself says nothing */
    size_t known_count;
};

struct area_list {
    VEC(struct owner_area) areas; /* by address; their names are numbers of `names` */
    struct string_table *names;
};

/* Mappings whose pages the kernel does not count (devices) are left out.  0 or -ENOMEM; then it
 * is empty. */
int area_list_make(const struct area_question *question, struct area_list *list);
void area_list_fini(struct area_list *list);
