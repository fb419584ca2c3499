/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/own_program.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "procfs/process/open_files.h"
#include "sandbox/sandbox.h"

#define STRANGER 65534

static const char *own_name(void)
{
    static char path[PATH_MAX];
    path[readlink("/proc/self/exe", path, sizeof(path) - 1)] = '\0';
    return strrchr(path, '/') + 1;
}

/* A child of this program that has become `user`, or another program; it waits for its end. */
static pid_t begin(uid_t user, bool is_own_user, const char *program)
{
    int line[2];
    char ready;
    CHECK(pipe2(line, O_CLOEXEC) == 0);
    pid_t const child = fork();
    if (child == 0) {
        uid_t const who = is_own_user ? SANDBOX_USER_FIRST + (uid_t)getpid() : user;
        if (who != geteuid() && setresuid(who, who, who) < 0)
            _exit(1);
        if (program)
            execl(program, program, "1000", (char *)NULL);
        (void)!write(line[1], "r", 1);
        pause();
        _exit(1);
    }
    close(line[1]);
    (void)!read(line[0], &ready, 1); /* or the end of it, by exec */
    close(line[0]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

TEST(this_program_of_our_user_is_believed)
{
    pid_t const child = begin(geteuid(), false, NULL);
    CHECK(own_program_is_believed((uint32_t)getpid(), own_name()));
    CHECK(own_program_is_believed((uint32_t)child, own_name()));
    CHECK(own_program_is((uint32_t)child, "memoir-record")); /* by its file, not by its name */
    end(child);
}

TEST(another_program_is_not_ours)
{
    pid_t const child = begin(geteuid(), false, "/bin/sleep");
    CHECK(!own_program_is((uint32_t)child, "sleep"));
    CHECK(!own_program_is_believed((uint32_t)child, "sleep"));
    end(child);
    CHECK(!own_program_is_believed((uint32_t)child, "sleep")); /* nor is one that is gone */
}

TEST(a_program_of_our_name_is_not_ours)
{
    char folder[] = "/tmp/own-program-XXXXXX", copy[64];
    struct stat size;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(copy, sizeof(copy), "%s/%s", folder, own_name());
    int const from = open("/bin/sleep", O_RDONLY), to = open(copy, O_WRONLY | O_CREAT, 0755);
    CHECK(fstat(from, &size) == 0 &&
          sendfile(to, from, NULL, (size_t)size.st_size) == size.st_size);
    close(from);
    close(to);
    pid_t const child = begin(geteuid(), false, copy);
    struct open_files files;
    CHECK(!own_program_is((uint32_t)child, own_name()));
    CHECK(open_files_find(own_name(), &files) == 0 && files.strangers == 1);
    open_files_fini(&files);
    end(child);
    unlink(copy);
    rmdir(folder);
}

TEST(this_program_of_another_user_is_not_believed)
{
    if (geteuid() != 0)
        skip();
    pid_t const child = begin(STRANGER, false, NULL);
    CHECK(own_program_is((uint32_t)child, own_name()));
    CHECK(!own_program_is_believed((uint32_t)child, own_name()));
    end(child);
}

TEST(root_that_became_nobody_else_is_believed)
{
    if (geteuid() != 0)
        skip();
    pid_t const child = begin(0, true, NULL), other = begin(SANDBOX_USER_FIRST + 1, false, NULL);
    CHECK(own_program_is_believed((uint32_t)child, own_name()));
    CHECK(!own_program_is_believed((uint32_t)other, own_name())); /* the user of another number */
    end(child);
    end(other);
}

TEST(files_of_others_are_not_taken)
{
    char name[] = "/tmp/own-program-XXXXXX";
    if (geteuid() != 0)
        skip();
    int const fd = mkstemp(name);
    struct stat wanted, found;
    CHECK(fd >= 0 && fstat(fd, &wanted) == 0);
    for (unsigned i = 0; i < 2; i++) {
        struct open_files files;
        unsigned times = 0;
        CHECK(open_files_find(own_name(), &files) == 0);
        vec_each (file, &files.files)
            times += fstat(file->fd, &found) == 0 && found.st_ino == wanted.st_ino;
        assert_int_equal(times, i == 0 ? 1 : 0);
        open_files_fini(&files);
        CHECK(fchown(fd, STRANGER, STRANGER) == 0);
    }
    close(fd);
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_program_of_our_user_is_believed),
        cmocka_unit_test(another_program_is_not_ours),
        cmocka_unit_test(a_program_of_our_name_is_not_ours),
        cmocka_unit_test(this_program_of_another_user_is_not_believed),
        cmocka_unit_test(root_that_became_nobody_else_is_believed),
        cmocka_unit_test(files_of_others_are_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
