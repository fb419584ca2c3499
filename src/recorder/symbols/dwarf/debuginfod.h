/* debuginfod.h - gets debug files from the servers that the user named in DEBUGINFOD_URLS, and from
 * no others.
 *
 * The client library is loaded when first needed; without it, no file is found. */
#pragma once

/* Returns a descriptor of the debug file, which the caller closes, or -errno. */
int debuginfod_open(const char *build_id_hex);
