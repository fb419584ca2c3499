/* package_names.h - how each distribution calls what we ask for. */
#pragma once

/* Commands, to be typed as they are. */
struct package_names {
    const char *system_id; /* as in /etc/os-release */
    const char *libc_debug;
    const char *debuginfod;        /* brings the library */
    const char *debuginfod_export; /* turns it on */
};

/* Never NULL: an unknown system gets commands that every one understands. */
const struct package_names *package_names_of(const char *system_id);
