/* package_names.h - the names of the packages that memoir recommends, by distribution. */
#pragma once

/* Commands that the user can run as they are. */
struct package_names {
    const char *system_id; /* as in /etc/os-release */
    const char *libc_debug;
    const char *debuginfod;        /* installs the library of debuginfod */
    const char *debuginfod_export; /* turns debuginfod on */
};

/* Never NULL: for an unknown system, returns commands that do not depend on the distribution. */
const struct package_names *package_names_of(const char *system_id);
