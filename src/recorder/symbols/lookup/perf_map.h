/* perf_map.h - names of code made at run time, from the list that its runtime writes (node
 * --perf-basic-prof, Java, .NET, ...): /tmp/perf-PID.map, with a line "START SIZE name" for each
 * function, in hex.
 *
 * The list only grows and has no times; addresses are reused, so the last line about an address
 * counts.  The file is hostile: at most PERF_MAP_BYTES_MAX of it are read.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_MAP_BYTES_MAX ((size_t)128 << 20)
#define PERF_MAP_ANYONE    UINT32_MAX

struct perf_map;

/* Returns whether a module's path is that of such a list, as seen from here: "/tmp/perf-7.map",
 * "/proc/4242/root/tmp/perf-7.map". */
bool perf_map_is_path(const char *path);

/* Opens the list at `path`, if `owner` (a user; or PERF_MAP_ANYONE) owns it; follows no link and
 * opens no device.  Returns NULL if there is none, or when out of memory.  The file stays open, so
 * it can still be read when its process and its folder are gone. */
struct perf_map *perf_map_open(const char *path, uint32_t owner);
void perf_map_close(struct perf_map *map); /* NULL is allowed. */

/* Returns whether the list could be opened. */
bool perf_map_exists(const char *path, uint32_t owner);

/* Reads what was added; cheap if nothing was. */
void perf_map_refresh(struct perf_map *map);

/* Makes a list from memory, for tests; `text` is copied. */
struct perf_map *perf_map_parse(const char *text, size_t size);

/* Returns the function that contains `address`, valid until the next refresh; NULL if there is
 * none. */
const char *perf_map_find(struct perf_map *map, uint64_t address);
size_t perf_map_count(const struct perf_map *map);
