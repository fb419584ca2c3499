/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/socket_owner.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#define SOMEBODY 65533

static struct socket_owners *owners;
static int listener, server, client;
static struct sockaddr_in6 address; /* where a client of IPv6 finds the listener */

/* Listens on 127.0.0.1 or, with is_v6, on ::1. */
static void begin_listener(bool is_v6)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t size = is_v6 ? sizeof(v6) : sizeof(v4);
    struct sockaddr *any = is_v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
    listener = socket(any->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(listener >= 0 && bind(listener, any, size) == 0 && listen(listener, 8) == 0);
    CHECK(getsockname(listener, any, &size) == 0);
    address = v6;
    if (!is_v6) {
        address.sin6_port = v4.sin_port;
        CHECK(inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr) == 1);
    }
}

/* Whether it worked. */
static bool join(int family, int protocol)
{
    struct sockaddr_in const v4 = {.sin_family = AF_INET,
                                   .sin_port = address.sin6_port,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    client = socket(family, SOCK_STREAM | SOCK_CLOEXEC, protocol);
    return client >= 0 &&
           (family == AF_INET
                ? connect(client, (const struct sockaddr *)&v4, sizeof(v4))
                : connect(client, (const struct sockaddr *)&address, sizeof(address))) == 0;
}

static struct socket_owner accepted(void)
{
    server = accept(listener, NULL, NULL);
    CHECK(server >= 0);
    return socket_owner_find(owners, server);
}

static void leave(void)
{
    close(client);
    close(server);
    close(listener);
}

TEST(a_connection_of_our_own_is_ours)
{
    begin_listener(false);
    CHECK(join(AF_INET, 0));
    struct socket_owner const owner = accepted();
    CHECK(owner.is_local && owner.is_own);
    CHECK(owner.client == (UINT64_C(1) << 63 | geteuid()));
    CHECK(!socket_owner_find(NULL, server).is_own && socket_owner_find(NULL, server).is_local);
    leave();
}

TEST(so_are_those_of_ipv6)
{
    begin_listener(false); /* as programs with one kind of socket for both do */
    CHECK(join(AF_INET6, 0));
    CHECK(accepted().is_own);
    leave();
    begin_listener(true);
    CHECK(join(AF_INET6, 0));
    struct socket_owner const owner = accepted();
    CHECK(owner.is_local && owner.is_own);
    leave();
}

TEST(one_that_is_closed_has_no_owner)
{
    begin_listener(false);
    CHECK(join(AF_INET, 0));
    shutdown(client, SHUT_WR); /* still reads the answer */
    CHECK(accepted().is_own);
    close(client);
    struct socket_owner const owner = socket_owner_find(owners, server);
    CHECK(owner.is_local && !owner.is_own);
    leave();
    begin_listener(false);
    CHECK(join(AF_INET, 0));
    close(client); /* before anybody looks: the kernel says that it is root's */
    CHECK(!accepted().is_own);
    leave();
}

TEST(one_who_listens_at_the_same_port_is_somebody_else)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    socklen_t size = sizeof(here);
    int const yes = 1, other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    begin_listener(false);
    CHECK(join(AF_INET, 0));
    CHECK(accepted().is_own);
    CHECK(getsockname(client, (struct sockaddr *)&here, &size) == 0);
    setsockopt(client, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    close(client); /* with a reset: nothing of it is left */
    setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    CHECK(bind(other, (struct sockaddr *)&here, size) == 0 && listen(other, 1) == 0);
    CHECK(!socket_owner_find(owners, server).is_own);
    close(other);
    leave();
}

TEST(what_is_no_connection_has_no_owner)
{
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    CHECK(!socket_owner_find(owners, ends[0]).is_own);
    CHECK(!socket_owner_find(owners, ends[0]).is_local);
    CHECK(!socket_owner_find(owners, -1).is_own);
    begin_listener(false);
    CHECK(!socket_owner_find(owners, listener).is_own);
    close(listener);
    close(ends[0]);
    close(ends[1]);
}

/* Connects as another user, and stays. */
static pid_t begin_somebody(int family, int protocol)
{
    pid_t const pid = fork();
    if (pid)
        return pid;
    if (setresuid(SOMEBODY, SOMEBODY, SOMEBODY) < 0 || !join(family, protocol))
        _exit(1);
    pause();
    _exit(0);
}

TEST(one_of_another_user_is_not_ours)
{
    static const struct {
        int family, protocol;
    } kinds[] = {{AF_INET, 0}, {AF_INET6, 0}, {AF_INET, IPPROTO_MPTCP}, {AF_INET6, IPPROTO_MPTCP}};
    if (geteuid() != 0)
        skip();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        begin_listener(false);
        if (kinds[i].protocol && !join(kinds[i].family, kinds[i].protocol))
            continue; /* not every kernel has it */
        if (kinds[i].protocol) {
            CHECK(accepted().is_own);
            close(server);
            close(client);
        }
        pid_t const somebody = begin_somebody(kinds[i].family, kinds[i].protocol);
        struct socket_owner const owner = accepted();
        CHECK(owner.is_local && !owner.is_own);
        CHECK(owner.client == (UINT64_C(1) << 63 | SOMEBODY));
        kill(somebody, SIGKILL);
        waitpid(somebody, NULL, 0);
        close(server);
        close(listener);
    }
}

static int open_all(void **state)
{
    (void)state;
    owners = socket_owners_open();
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    socket_owners_close(owners);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_of_our_own_is_ours),
        cmocka_unit_test(so_are_those_of_ipv6),
        cmocka_unit_test(one_that_is_closed_has_no_owner),
        cmocka_unit_test(one_who_listens_at_the_same_port_is_somebody_else),
        cmocka_unit_test(what_is_no_connection_has_no_owner),
        cmocka_unit_test(one_of_another_user_is_not_ours),
    };
    if (!socket_owners_are_told())
        return 77; /* a kernel that tells nothing: memoir asks for the token */
    return cmocka_run_group_tests(tests, open_all, close_all);
}
