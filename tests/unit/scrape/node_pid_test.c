/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "procfs/process/process_listening.h"
#include "scrape/nodes/node_list.h"
#include "sleeper.h"

static void write_pid(const char *path, long pid)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fprintf(file, "%ld\n", pid) > 0 && fclose(file) == 0);
}

TEST(c1_a_process_that_is_gone_is_a_sentence_and_no_crash)
{
    pid_t const pid = start_sleeper();
    struct node node = {.name = "n", .has_process = true, .process = {.pid = (uint32_t)pid}};
    struct fault fault = {.text = ""};
    assert_int_equal(node_pid(&node, &fault), pid);
    kill(pid, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    CHECK(node_pid(&node, &fault) == 0 && strstr(fault.text, "has ended")); /* a zombie */
    waitpid(pid, NULL, 0);
    CHECK(node_pid(&node, &fault) == 0);
    free(node.process.memory);
}

TEST(c2_a_pid_file_is_read_anew_after_a_restart)
{
    char path[] = "/tmp/memoir-pid-XXXXXX";
    close(mkstemp(path));
    pid_t const first = start_sleeper(), second = start_sleeper();
    struct node node = {.name = "n", .has_process = true, .process = {.pid_file = path}};
    struct fault fault = {.text = ""};
    write_pid(path, first);
    assert_int_equal(node_pid(&node, &fault), first);
    end(first);
    CHECK(node_pid(&node, &fault) == 0 && strstr(fault.text, "has ended"));
    write_pid(path, second);
    assert_int_equal(node_pid(&node, &fault), second);
    end(second);
    unlink(path);
    CHECK(node_pid(&node, &fault) == 0 && strstr(fault.text, path));
    free(node.process.memory);
}

TEST(c2_a_stale_pid_file_does_not_lead_to_a_stranger)
{
    char path[] = "/tmp/memoir-pid-XXXXXX";
    close(mkstemp(path));
    pid_t const stranger = start_sleeper();
    struct node node = {.name = "n", .has_process = true, .process = {.pid_file = path}};
    struct fault fault = {.text = ""};
    write_pid(path, stranger);
    struct timespec const long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    utimensat(AT_FDCWD, path, long_ago, 0);
    CHECK(node_pid(&node, &fault) == 0 && strstr(fault.text, "older than the process"));
    end(stranger);
    unlink(path);
    free(node.process.memory);
}

TEST(a_pid_file_with_anything_else_is_refused)
{
    static const char *const texts[] = {
        "", "x", "0\n", "12x", "-5", "99999999999999999999", "3000000000"};
    char path[] = "/tmp/memoir-pid-XXXXXX";
    close(mkstemp(path));
    struct node node = {.name = "n", .has_process = true, .process = {.pid_file = path}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct fault fault = {.text = ""};
        FILE *file = fopen(path, "w");
        CHECK(file && fputs(texts[i], file) >= 0 && fclose(file) == 0);
        CHECK(node_pid(&node, &fault) == 0 && strstr(fault.text, "no PID"));
    }
    unlink(path);
    free(node.process.memory);
}

TEST(a_process_is_found_by_the_port_it_listens_on)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    int const fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, 1) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&address, &size) == 0);
    struct node node = {
        .name = "n", .has_process = true, .process = {.port = ntohs(address.sin_port)}};
    struct fault fault = {.text = ""};
    pid_t const child = start_sleeper(); /* has the socket as well, and is younger */
    assert_int_equal(node_pid(&node, &fault), getpid());
    assert_int_equal(node_pid(&node, &fault), getpid()); /* by what it remembers */
    end(child);
    close(fd);
    CHECK(node_pid(&node, &fault) == 0 && strstr(fault.text, "no process listens"));
    free(node.process.memory);
}

TEST(sockets_of_the_kernels_table)
{
    const char *text =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "
        "timeout inode\n"
        "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        "
        "0 4242 1 0 100 0 0 10 0\n"
        "   1: 0100007F:1F90 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        "
        "0 5 1 0 100 0 0 10 0\n"
        "   2: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A "
        "00000000:00000000 00:00000000 00000000     0        0 77 1 x\n"
        "   3: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        "
        "0 6 1\n";
    socket_list sockets = {0};
    CHECK(listening_sockets_parse(slice_of(text), 8080, &sockets));
    assert_int_equal(sockets.count, 2);
    CHECK(sockets.items[0] == 4242 && sockets.items[1] == 77);
    vec_free(&sockets);
}

/* Run as a copy of this program under a name that nobody else has. */
TEST(a_process_is_found_by_its_name_if_it_is_the_only_one)
{
    char folder[] = "/tmp/memoir-name-XXXXXX", path[64], command[160], *name;
    CHECK(mkdtemp(folder) != NULL);
    name = folder + strlen("/tmp/");
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    snprintf(command, sizeof(command), "cp \"$(command -v sleep)\" %s", path);
    CHECK(system(command) == 0);
    struct node node = {.name = "n", .has_process = true, .process = {.name = name}};
    struct fault fault = {.text = ""};
    CHECK(node_pid(&node, &fault) == 0 && strstr(fault.text, "no process is called"));
    pid_t pids[2];
    for (int i = 0; i < 2; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            execl(path, name, "100", NULL);
            _exit(1);
        }
        while (node_pid(&node, &fault) == 0 && fault.code != -ENOTUNIQ)
            usleep(1000);
        assert_int_equal(node_pid(&node, &fault), pids[0]); /* the second is another one */
    }
    char other[300];
    snprintf(other, sizeof(other), "/proc/%d/exe", (int)pids[1]);
    char target[256] = "";
    while (readlink(other, target, sizeof(target) - 1) <= 0 || !strstr(target, name))
        usleep(1000);
    struct node fresh = {.name = "f", .has_process = true, .process = {.name = name}};
    CHECK(node_pid(&fresh, &fault) == 0 && strstr(fault.text, "2 processes"));
    end(pids[0]);
    end(pids[1]);
    unlink(path);
    rmdir(folder);
    free(node.process.memory);
    free(fresh.process.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c1_a_process_that_is_gone_is_a_sentence_and_no_crash),
        cmocka_unit_test(c2_a_pid_file_is_read_anew_after_a_restart),
        cmocka_unit_test(c2_a_stale_pid_file_does_not_lead_to_a_stranger),
        cmocka_unit_test(a_pid_file_with_anything_else_is_refused),
        cmocka_unit_test(a_process_is_found_by_the_port_it_listens_on),
        cmocka_unit_test(sockets_of_the_kernels_table),
        cmocka_unit_test(a_process_is_found_by_its_name_if_it_is_the_only_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
