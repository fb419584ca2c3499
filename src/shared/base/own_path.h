/* own_path.h - where to write what the user named with -o, when others may write to the same
 * folders.
 *
 * Who can put a link, a file or a pipe into one of the folders could choose what we overwrite, or
 * read what we write.  So a path is walked part by part, each part opened below the one before and
 * judged as it was opened: links are followed only if they are ours or root's, and a place that
 * somebody else made in a folder that everybody may write to is refused.  What is found is a folder
 * that is open and a name in it: nobody can lead that elsewhere.  The kernel's protected_symlinks
 * and protected_regular do some of this, in some folders, where they are on. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/fault.h"

struct own_place {
    int folder; /* by O_PATH */
    char name[NAME_MAX + 1];
    bool exists;     /* ... as `there`: not a link, unless is_of_proc */
    bool is_of_proc; /* a link of /proc, which leads to an open file: /dev/stdout */
    struct stat there;
};

/* The place that `path` leads to; there may be nothing there yet.  0, or -errno with a sentence:
 * -EPERM when it is somebody else's. */
int own_place_find(const char *path, struct own_place *place, struct fault *fault);
void own_place_close(struct own_place *place);

/* Opens it: what was found, or a new file with mode 0600.  O_EXCL and O_NOFOLLOW come by
 * themselves; O_TRUNC is for files.  A descriptor; -EAGAIN when there is something else by now; or
 * another -errno. */
int own_place_open(const struct own_place *place, int flags);

/* The same of a path, found again for as long as others change it.  A descriptor, or -errno with a
 * sentence.  `place`, unless it is NULL, is for own_place_close after a success. */
int own_path_open(const char *path, int flags, struct own_place *place, struct fault *fault);

/* A path to the place that has no links in it, for those who need one.  0 or -errno as above. */
int own_path_resolve(const char *path, char place[PATH_MAX], struct fault *fault);

/* Whether only we, root and our group can put something else under a path, which has no links in
 * it. */
bool own_path_stays(const char *path);

/* 0 if nobody but us, root and our group may write to an existing folder, or -EPERM with a
 * sentence.  For folders whose files decide what is run. */
int own_folder_check(const char *path, struct fault *fault);
