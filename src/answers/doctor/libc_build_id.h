/* libc_build_id.h - which build of libc this program runs with, and so most others here. */
#pragma once

#define BUILD_ID_TEXT_MAX 132

/* Lower-case hex.  Returns 0 or -ENOENT when it has none. */
int libc_build_id(char text[BUILD_ID_TEXT_MAX]);
