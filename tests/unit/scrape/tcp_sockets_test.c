/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/http/tcp_sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

struct pair {
    int near, far;
};

/* Two ends of one connection, both ours. */
static struct pair connect_pair(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    struct pair pair = {socket(AF_INET, SOCK_STREAM, 0), -1};
    int const listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    CHECK(connect(pair.near, (struct sockaddr *)&address, size) == 0);
    pair.far = accept(listener, NULL, NULL);
    CHECK(pair.far >= 0);
    close(listener);
    return pair;
}

static void carry(int from, int to, size_t bytes)
{
    char block[4096] = {0};
    for (size_t left = bytes; left;) {
        size_t const piece = left < sizeof(block) ? left : sizeof(block);
        CHECK(send(from, block, piece, 0) == (ssize_t)piece);
        for (size_t got = 0; got < piece;) {
            ssize_t const some = recv(to, block, piece - got, 0);
            CHECK(some > 0);
            got += (size_t)some;
        }
        left -= piece;
    }
}

static int look(struct tcp_account *account)
{
    struct tcp_sockets all;
    int err = tcp_sockets_read(&all);
    if (!err)
        err = tcp_account_look(account, (uint32_t)getpid(), &all);
    tcp_sockets_fini(&all);
    return err;
}

/* Acknowledgements come a little later; a connection begins with one byte of its own in each
 * direction that has been acknowledged. */
static bool has_sent(struct tcp_account *account, uint64_t bytes)
{
    for (int i = 0; i < 500; i++) {
        CHECK(look(account) == 0);
        if (account->sent >= bytes && account->sent <= bytes + 8)
            return true;
        usleep(10000);
    }
    return false;
}

TEST(bytes_of_connections_are_counted)
{
    struct tcp_account account = {0};
    if (look(&account) != 0) {
        print_message("skipped: the kernel cannot be asked about its sockets here\n");
        return;
    }
    uint64_t const sent = account.sent, received = account.received;
    struct pair first = connect_pair();
    int const twice = dup(first.near); /* one socket, two descriptors */
    carry(first.near, first.far, 1000000);
    carry(first.far, first.near, 2345);
    CHECK(has_sent(&account, sent + 1002345));
    CHECK(account.received == received + 1002345);

    struct pair second = connect_pair();
    carry(second.near, second.far, 777);
    CHECK(has_sent(&account, sent + 1003122));
    close(first.near);
    close(first.far);
    close(twice);
    CHECK(has_sent(&account, sent + 1003122)); /* what is gone stays counted */
    CHECK(account.received == received + 1003122);
    close(second.near);
    close(second.far);
    tcp_account_fini(&account);
}

TEST(another_process_counts_from_nothing)
{
    struct tcp_account account = {0};
    struct tcp_sockets all;
    if (tcp_sockets_read(&all) != 0)
        return;
    CHECK(tcp_account_look(&account, (uint32_t)getpid(), &all) == 0);
    account.gone_sent = 5000;
    pid_t const child = fork();
    if (child == 0) {
        closefrom(0);
        pause();
        _exit(0);
    }
    int err = -EAGAIN;
    for (int i = 0; i < 500 && (err || account.open.items.count); i++) {
        usleep(10000); /* until it has closed what it was born with */
        err = tcp_account_look(&account, (uint32_t)child, &all);
    }
    CHECK(err == 0 && account.sent == 0 && account.gone_sent == 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK(tcp_account_look(&account, (uint32_t)child, &all) == -ESRCH);
    tcp_account_fini(&account);
    tcp_sockets_fini(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_of_connections_are_counted),
                                       cmocka_unit_test(another_process_counts_from_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
