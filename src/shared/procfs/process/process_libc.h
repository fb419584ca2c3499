/* process_libc.h - which C library a process has loaded. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* "glibc 2.36", "glibc", "musl"; empty when none is mapped, or the process may not be looked at. */
void process_libc(uint32_t pid, char *text, size_t size);

/* The version in the bytes of a glibc, "2.36"; empty when they are of something else. */
void libc_version_find(const char *bytes, size_t count, char *version, size_t size);
