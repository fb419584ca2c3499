/* process_libc.h - which C library a process has loaded. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Finds "glibc 2.36", "glibc" or "musl"; empty if none is mapped, or the process may not be looked
 * at. */
void process_libc(uint32_t pid, char *text, size_t size);

/* Finds the version in the bytes of a glibc, "2.36"; empty if they are of another file. */
void libc_version_find(const char *bytes, size_t count, char *version, size_t size);
