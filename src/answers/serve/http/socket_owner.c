/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/socket_owner.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hash.h"

#define ANSWERS_MOST  4 /* read for one question */
#define OVERFLOW_USER 65534u
#define IS_USER       (UINT64_C(1) << 63) /* in `client`: a user, and no address */
#define NETWORK_BYTES 8                   /* of an IPv6 address: one client has all of the rest */
#define WAITS_SECONDS 1

struct socket_owners {
    int kernel; /* netlink */
    uid_t user; /* who started us */
    uint32_t asked;
    /* Users that the kernel cannot name to us all have this number; 0: it can name all. */
    uint32_t nameless;
};

struct ends {
    struct sockaddr_storage here, there;
};

struct question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 wanted;
};

static void set_end(const struct sockaddr_storage *end, __be16 *port, __be32 address[4])
{
    if (end->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const void *)end;
        *port = v6->sin6_port;
        memcpy(address, &v6->sin6_addr, sizeof(v6->sin6_addr));
    } else {
        const struct sockaddr_in *v4 = (const void *)end;
        *port = v4->sin_port;
        memcpy(address, &v4->sin_addr, sizeof(v4->sin_addr));
    }
}

/* About the socket at the other end, which sees the connection the other way round. */
static struct question question_about(const struct ends *ends, uint32_t number)
{
    struct question question = {
        .head = {.nlmsg_len = sizeof(question),
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST,
                 .nlmsg_seq = number},
        .wanted = {.sdiag_family = (__u8)ends->there.ss_family,
                   .sdiag_protocol = IPPROTO_TCP,
                   .idiag_states = ~0u,
                   .id = {.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
    struct inet_diag_sockid *id = &question.wanted.id;
    set_end(&ends->there, &id->idiag_sport, id->idiag_src);
    set_end(&ends->here, &id->idiag_dport, id->idiag_dst);
    return question;
}

/* Fills `found`.  Returns 0, or -errno: -ENOENT when there is no such socket. */
static int ask_kernel(struct socket_owners *owners, const struct ends *ends,
                      struct inet_diag_msg *found)
{
    struct question const question = question_about(ends, ++owners->asked);
    union {
        struct nlmsghdr head;
        char bytes[1024];
    } answer;
    if (send(owners->kernel, &question, sizeof(question), 0) != (ssize_t)sizeof(question))
        return -EIO;
    for (int i = 0; i < ANSWERS_MOST; i++) {
        ssize_t const got = recv(owners->kernel, &answer, sizeof(answer), 0);
        struct nlmsgerr *error = NLMSG_DATA(&answer.head);
        if (got < (ssize_t)NLMSG_LENGTH(sizeof(*error)))
            return -EIO;
        if (answer.head.nlmsg_seq != owners->asked)
            continue; /* the answer to an earlier question */
        if (answer.head.nlmsg_type == NLMSG_ERROR)
            return error->error ? error->error : -EIO;
        if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
            got < (ssize_t)NLMSG_LENGTH(sizeof(*found)))
            return -EIO;
        memcpy(found, NLMSG_DATA(&answer.head), sizeof(*found));
        return 0;
    }
    return -EIO;
}

/* The first line of a file of /proc; "" when there is none. */
static void read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    if (!file || !fgets(line, size, file))
        line[0] = '\0';
    if (file)
        fclose(file);
}

/* In a namespace of users, all users outside of it have one number, which may be ours, too. */
static uint32_t nameless_user(void)
{
    char line[64], *at = line;
    unsigned long map[3];
    read_line("/proc/self/uid_map", line, sizeof(line));
    for (int i = 0; i < 3; i++)
        map[i] = strtoul(at, &at, 10);
    if (map[0] == 0 && map[1] == 0 && map[2] == UINT32_MAX)
        return 0;
    read_line("/proc/sys/kernel/overflowuid", line, sizeof(line));
    uint32_t const user = (uint32_t)strtoul(line, NULL, 10);
    return user ? user : OVERFLOW_USER;
}

struct socket_owners *socket_owners_open(void)
{
    struct ends const nowhere = {{.ss_family = AF_INET}, {.ss_family = AF_INET}};
    struct timeval const patience = {.tv_sec = WAITS_SECONDS};
    struct inet_diag_msg found;
    struct socket_owners *owners = calloc(1, sizeof(*owners));
    if (!owners)
        return NULL;
    owners->user = geteuid();
    owners->nameless = nameless_user();
    owners->kernel = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    bool const has_name = !owners->nameless || owners->user != owners->nameless;
    if (has_name && owners->kernel >= 0 &&
        setsockopt(owners->kernel, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
        ask_kernel(owners, &nowhere, &found) == -ENOENT)
        return owners;
    socket_owners_close(owners);
    return NULL;
}

void socket_owners_close(struct socket_owners *owners)
{
    if (!owners)
        return;
    if (owners->kernel >= 0)
        close(owners->kernel);
    free(owners);
}

bool socket_owners_are_told(void)
{
    struct socket_owners *owners = socket_owners_open();
    socket_owners_close(owners);
    return owners != NULL;
}

/* Not the socket that listens at the client's port, nor one that nobody has open any more. */
static bool is_other_end(const struct inet_diag_msg *found, const struct ends *ends)
{
    __be16 here_port, there_port;
    __be32 address[4];
    set_end(&ends->here, &here_port, address);
    set_end(&ends->there, &there_port, address);
    return found->id.idiag_sport == there_port && found->id.idiag_dport == here_port &&
           found->idiag_inode != 0 &&
           (found->idiag_state == TCP_ESTABLISHED || found->idiag_state == TCP_FIN_WAIT1 ||
            found->idiag_state == TCP_FIN_WAIT2 || found->idiag_state == TCP_CLOSE_WAIT);
}

static bool find_user(struct socket_owners *owners, const struct ends *ends, uid_t *user)
{
    struct inet_diag_msg found;
    if (!owners || ask_kernel(owners, ends, &found) < 0 || !is_other_end(&found, ends) ||
        (owners->nameless && found.idiag_uid == owners->nameless))
        return false;
    *user = found.idiag_uid;
    return true;
}

static bool is_loopback(const struct sockaddr_storage *end)
{
    if (end->ss_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)end)->sin_addr.s_addr) >> 24 == 127;
    return end->ss_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)end)->sin6_addr);
}

static uint64_t number_of_address(const struct sockaddr_storage *end)
{
    __be16 port;
    __be32 address[4] = {0};
    set_end(end, &port, address);
    return hash_bytes(address, NETWORK_BYTES) & ~IS_USER;
}

struct socket_owner socket_owner_find(struct socket_owners *owners, int fd)
{
    struct ends ends = {{0}, {0}};
    socklen_t here_size = sizeof(ends.here), there_size = sizeof(ends.there);
    uid_t user;
    if (getsockname(fd, (struct sockaddr *)&ends.here, &here_size) < 0 ||
        getpeername(fd, (struct sockaddr *)&ends.there, &there_size) < 0 ||
        (ends.there.ss_family != AF_INET && ends.there.ss_family != AF_INET6))
        return (struct socket_owner){.is_local = false};
    struct socket_owner owner = {.is_local = is_loopback(&ends.there),
                                 .client = number_of_address(&ends.there)};
    if (find_user(owners, &ends, &user)) {
        owner.is_own = user == 0 || user == owners->user;
        owner.client = IS_USER | user;
    }
    return owner;
}
