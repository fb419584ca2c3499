/* process_file.h - the content of a file that a process has mapped, as that process sees it. */
#pragma once

#include "procfs/memory/maps.h"
#include "stacks/code_image.h"

struct process_file {
    int fd;     /* Of the file; -1: it is read from memory. */
    int memory; /* Of /proc/PID/mem; not ours. */
    const struct map_list *maps;
    const struct map_region *region;
    struct image_source source;
};

/* Opens the file of `region` (one of `maps`, which must outlive it): by the kernel's link for the
 * mapping, which needs privilege; by its path, as the process sees it; or else from the memory
 * where it is mapped.  Never fails; reads may fail. */
void process_file_open(struct process_file *file, uint32_t pid, int memory,
                       const struct map_list *maps, const struct map_region *region);
/* Returns whether any of it can be read; not from the memory of a process that is gone. */
bool process_file_is_readable(const struct process_file *file);
/* If the file cannot be read, opens it by its path below `root` instead, provided that device and
 * inode are those of the mapping. */
void process_file_open_below(struct process_file *file, const char *root);
void process_file_close(struct process_file *file);

/* Reads bytes of a descriptor at an offset.  Returns how many, 0 if none. */
size_t read_some(int fd, uint64_t offset, void *to, size_t size);

bool is_same_file(const struct map_region *a, const struct map_region *b);
