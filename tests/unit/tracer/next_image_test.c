/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/process/next_image.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/next-image-XXXXXX";

static char *in_folder(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_folder(name), "w");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
    chmod(in_folder(name), 0755);
}

static void put_script(const char *name, const char *interpreter)
{
    char text[PATH_MAX + 32];
    put(name, text, (size_t)snprintf(text, sizeof(text), "#! %s -x\necho\n", interpreter));
}

/* A copy of a real program, with every `from` in it made `to`. */
static void put_changed(const char *name, const char *from, const char *to)
{
    FILE *file = fopen("/bin/true", "r");
    static char bytes[1 << 20];
    CHECK(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    if (from) {
        char *at = memmem(bytes, size, from, strlen(from));
        CHECK(at);
        memcpy(at, to, strlen(to) + 1);
    }
    put(name, bytes, size);
}

static int begin(void **state)
{
    (void)state;
    CHECK(mkdtemp(folder));
    put_changed("plain", NULL, NULL);
    put_changed("musl", "/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1");
    put_changed("sanitized", "libc.so.6", "libasan.s"); /* too short: no sanitizer */
    put_changed("bits32", "\177ELF\002", "\177ELF\001");
    return 0;
}

static int end(void **state)
{
    static const char *const names[] = {"plain", "musl", "sanitized", "bits32", "script", "nested"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

TEST(programs_are_told_by_their_loader)
{
    CHECK(next_image_look("/bin/true", -1) != IMAGE_FOREIGN);
    CHECK(next_image_look(in_folder("plain"), -1) != IMAGE_FOREIGN);
    CHECK(next_image_look(in_folder("sanitized"), -1) != IMAGE_FOREIGN);
    CHECK(next_image_look(in_folder("musl"), -1) == IMAGE_FOREIGN);
    CHECK(next_image_look(in_folder("bits32"), -1) == IMAGE_FOREIGN);
}

TEST(a_sanitizer_is_told_by_the_libraries_it_needs)
{
    char command[PATH_MAX];
    snprintf(
        command, sizeof(command),
        "cd %s && echo 'int main(void) { return 0; }' | gcc -x c -fsanitize=address -o sanitized -",
        folder);
    if (system(command) != 0)
        skip();
    CHECK(next_image_look(in_folder("sanitized"), -1) == IMAGE_FOREIGN);
}

TEST(a_descriptor_is_looked_at_and_left_alone)
{
    int fd = open(in_folder("musl"), O_RDONLY | O_CLOEXEC);
    CHECK(next_image_look(NULL, fd) == IMAGE_FOREIGN);
    CHECK(lseek(fd, 0, SEEK_CUR) == 0 && close(fd) == 0);
}

TEST(scripts_are_what_their_interpreter_is)
{
    put_script("script", in_folder("musl"));
    CHECK(next_image_look(in_folder("script"), -1) == IMAGE_FOREIGN);
    put_script("nested", in_folder("script"));
    CHECK(next_image_look(in_folder("nested"), -1) == IMAGE_FOREIGN);
    put_script("script", "/bin/sh");
    CHECK(next_image_look(in_folder("nested"), -1) != IMAGE_FOREIGN);
    put_script("script", in_folder("script"));
    CHECK(next_image_look(in_folder("script"), -1) != IMAGE_FOREIGN); /* itself, for ever */
    put("script", "#!", 2);
    CHECK(next_image_look(in_folder("script"), -1) != IMAGE_FOREIGN);
}

TEST(names_are_looked_for_in_the_path)
{
    char path[PATH_MAX], *before = strdup(getenv("PATH"));
    snprintf(path, sizeof(path), "/nowhere::%s:/bin", folder);
    setenv("PATH", path, 1);
    CHECK(next_image_look_named("musl") == IMAGE_FOREIGN);
    CHECK(next_image_look_named("plain") != IMAGE_FOREIGN);
    CHECK(next_image_look_named("no-such-program") != IMAGE_FOREIGN);
    CHECK(next_image_look_named(in_folder("musl")) == IMAGE_FOREIGN);
    setenv("PATH", "", 1);
    CHECK(next_image_look_named("musl") != IMAGE_FOREIGN);
    setenv("PATH", before, 1);
    free(before);
}

TEST(what_cannot_be_read_is_not_foreign_and_errno_stays)
{
    errno = 4711;
    CHECK(next_image_look("/nowhere/at/all", -1) != IMAGE_FOREIGN);
    CHECK(next_image_look(folder, -1) != IMAGE_FOREIGN);
    CHECK(next_image_look(NULL, -1) != IMAGE_FOREIGN);
    put("script", "\177ELF\002\001\001", 7); /* cut off */
    CHECK(next_image_look(in_folder("script"), -1) != IMAGE_FOREIGN);
    CHECK(errno == 4711);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_told_by_their_loader),
        cmocka_unit_test(a_sanitizer_is_told_by_the_libraries_it_needs),
        cmocka_unit_test(a_descriptor_is_looked_at_and_left_alone),
        cmocka_unit_test(scripts_are_what_their_interpreter_is),
        cmocka_unit_test(names_are_looked_for_in_the_path),
        cmocka_unit_test(what_cannot_be_read_is_not_foreign_and_errno_stays),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
