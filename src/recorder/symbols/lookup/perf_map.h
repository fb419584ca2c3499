/* perf_map.h - names of code made at run time, from the list that its runtime writes (node
 * --perf-basic-prof, Java, .NET, ...): /tmp/perf-PID.map, with a line "START SIZE name" for each
 * function, in hex.
 *
 * The list only grows and has no times; addresses are used again, so the last line about an
 * address holds.  The file is hostile: at most PERF_MAP_BYTES_MAX of it are read.  Not
 * thread-safe. */
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

/* The list at `path`, if `owner` (a user; or PERF_MAP_ANYONE) made it: no link and no device is
 * followed.  NULL when there is none, or out of memory.  The file stays open, so it is read on
 * when its process and its folder are gone. */
struct perf_map *perf_map_open(const char *path, uint32_t owner);
void perf_map_close(struct perf_map *map); /* also NULL */

/* Only whether it could be opened. */
bool perf_map_exists(const char *path, uint32_t owner);

/* Reads what was added; cheap when nothing was. */
void perf_map_refresh(struct perf_map *map);

/* The same from memory, for tests; `text` is copied. */
struct perf_map *perf_map_parse(const char *text, size_t size);

/* The function that holds `address`, valid until the next refresh; NULL when none does. */
const char *perf_map_find(struct perf_map *map, uint64_t address);
size_t perf_map_count(const struct perf_map *map);
