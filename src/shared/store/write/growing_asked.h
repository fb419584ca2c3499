/* growing_asked.h - making and replacing the file of a recording, asked of another process: for a
 * process that is confined, and so writes to what is open and names no files.  What growing_file.h
 * promises holds as it is. */
#pragma once

struct growing_asked {
    int (*take)(const char *path, int claim); /* a descriptor; the claim stays the caller's */
    int (*beside)(const char *path);          /* a descriptor of what will be ... */
    int (*replace)(const char *path);         /* ... in place of the one that was taken, or ... */
    void (*discard)(const char *path);        /* ... not */
};

/* From now on; NULL: no more. */
void growing_file_ask_by(const struct growing_asked *asked);
