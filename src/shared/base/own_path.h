/* own_path.h - where to write what the user named with -o, when others may write to the same
 * folder.
 *
 * Who can put a link, a file or a pipe into the folder could choose what we overwrite, or read what
 * we write.  So links are followed only if they are ours or root's, and a place that somebody else
 * made in a folder that everybody may write to is refused.  The kernel's protected_symlinks and
 * protected_regular do some of this, in some folders, where they are on. */
#pragma once

#include <limits.h>

#include "base/fault.h"

/* The place that `path` leads to: the same, or what our own links at its end lead to; there may be
 * nothing there yet.  It is to be opened with O_NOFOLLOW.  0, or -errno with a sentence: -EPERM
 * when it is somebody else's. */
int own_path_resolve(const char *path, char place[PATH_MAX], struct fault *fault);

/* Opens that place to be written from its beginning: a new file with mode 0600, or what is there.
 * A descriptor, or -errno with a sentence. */
int own_path_open(const char *path, struct fault *fault);

/* 0 if nobody but us, root and our group may write to an existing folder, or -EPERM with a
 * sentence.  For folders whose files decide what is run. */
int own_folder_check(const char *path, struct fault *fault);
