/* scratch.h - a folder for one test, and programs run in it.  A failing step fails the test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the folder, or empties away all of it.  One at a time. */
void scratch_open(void);
void scratch_close(void);

/* The same as setup and teardown of a test. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/* The full path of `name` in the folder; "" for the folder.  Valid until the next open. */
const char *scratch_path(const char *name);
void scratch_write(const char *name, const void *bytes, size_t size);
char *scratch_read(const char *name, size_t *size); /* the caller frees */

/* Runs a program from PATH in the folder; the arguments end with NULL. */
#define scratch_run(...) scratch_run_argv((const char *const[]){__VA_ARGS__, NULL}, NULL)
/* The same, giving what it wrote, which the caller frees. */
#define scratch_output(...) scratch_output_argv((const char *const[]){__VA_ARGS__, NULL})

void scratch_run_argv(const char *const *argv, const char *output);
char *scratch_output_argv(const char *const *argv);

/* Is there such a program?  If not, prints that the test needs it. */
bool scratch_has(const char *program);

/* Address and size of a symbol in a file, by nm. */
void scratch_symbol(const char *file, const char *name, uint64_t *address, uint64_t *size);

/* The build-id by readelf; the caller frees. */
char *scratch_build_id(const char *file);
