/* debuginfod.h - debug files from the servers the user named in DEBUGINFOD_URLS; from nobody else.
 *
 * The client library is loaded when first needed; without it there are simply no such files. */
#pragma once

/* A descriptor of the debug file the caller closes, or -errno. */
int debuginfod_open(const char *build_id_hex);
