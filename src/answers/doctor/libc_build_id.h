/* libc_build_id.h - the build id of the libc of this program, which most other programs here use,
 * too. */
#pragma once

#define BUILD_ID_TEXT_MAX 132

/* Writes the build id in lower-case hex.  Returns 0; or -ENOENT if the libc has none. */
int libc_build_id(char text[BUILD_ID_TEXT_MAX]);
