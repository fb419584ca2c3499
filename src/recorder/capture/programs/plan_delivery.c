/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/plan_delivery.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "capture/rings/arena_users.h"
#include "inject/library/loaded_elf.h"
#include "procfs/memory/maps.h"

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
    return remote_read(context, address, to, size);
}

static bool is_tracer(const struct map_region *region)
{
    const char *name = strrchr(region->name, '/');
    name = name ? name + 1 : region->name;
    if (strncmp(name, "memfd:", 6) == 0)
        name += 6;
    return region->offset == 0 && strncmp(name, "libmemoir.so", strlen("libmemoir.so")) == 0;
}

/* 0 when our library is not there. */
static uint64_t find_plan(struct remote_memory *memory, const struct map_list *maps)
{
    struct memory_reader const reader = {read_memory, memory};
    struct loaded_elf elf;
    vec_each (region, &maps->regions) {
        if (is_tracer(region) && loaded_elf_read(reader, region->start, &elf) == 0)
            return loaded_elf_object(reader, &elf, "memoir_tracer_plan");
    }
    return 0;
}

static bool is_wanted(const struct plan_delivery *delivery)
{
    uint32_t wanted;
    return remote_read(&delivery->memory, delivery->address + offsetof(struct inside_plan, wanted),
                       &wanted, sizeof(wanted)) &&
           wanted == PLAN_WANTED;
}

/* The memory is opened first, and belongs to one program for ever: if that has gone when its
 * mappings are read, what is found there is another's, but what is written goes nowhere. */
int plan_delivery_begin(struct plan_delivery *delivery, const struct arena_users *users,
                        uint32_t pid)
{
    struct map_list maps;
    int err = pid == 0 ? -ENOENT : remote_memory_open(&delivery->memory, (pid_t)pid);
    if (err < 0)
        return err;
    delivery->address = 0;
    err = map_list_read(pid, &maps);
    if (err == 0) {
        if (arena_users_have(users, &maps))
            delivery->address = find_plan(&delivery->memory, &maps);
        map_list_fini(&maps);
    }
    if (err == 0 && (!delivery->address || !is_wanted(delivery)))
        err = delivery->address ? -EBUSY : -ENOENT;
    if (err == 0 && remote_memory_is_gone(&delivery->memory))
        err = -ESRCH;
    if (err < 0)
        remote_memory_close(&delivery->memory);
    return err;
}

/* Its first word says that it is there, and is written last. */
static bool write_plan(const struct plan_delivery *delivery, const struct inside_plan *plan)
{
    uint32_t const delivered = PLAN_DELIVERED;
    size_t const head = offsetof(struct inside_plan, patch_count);
    size_t const bytes =
        offsetof(struct inside_plan, patches) + plan->patch_count * sizeof(plan->patches[0]);
    return is_wanted(delivery) &&
           remote_write(&delivery->memory, delivery->address + head, (const char *)plan + head,
                        bytes - head) &&
           remote_write(&delivery->memory, delivery->address + offsetof(struct inside_plan, wanted),
                        &delivered, sizeof(delivered));
}

bool plan_delivery_end(struct plan_delivery *delivery, const struct inside_plan *plan)
{
    bool const written = plan && write_plan(delivery, plan);
    remote_memory_close(&delivery->memory);
    return written;
}
