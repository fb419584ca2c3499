/* model_touchers.h - functions that are told apart by where their instructions are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum touch_way {
    TOUCH_READ,
    TOUCH_WRITE,
    TOUCH_KERNEL /* a system call writes there */,
    TOUCH_WAYS
};

void model_touch(unsigned toucher, char *start, size_t pages, size_t stride, enum touch_way way);
/* mmap by a toucher; MAP_FAILED or where. */
void *model_map(unsigned toucher, void *address, size_t size, int flags, int fd);
