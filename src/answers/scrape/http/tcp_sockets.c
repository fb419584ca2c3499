/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/http/tcp_sockets.h"

#include <dirent.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_BYTES  65536
#define STATE_LISTENS 10 /* TCP_LISTEN of the kernel: such a socket has no bytes */

static int ask(int fd, uint8_t family)
{
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 wanted;
    } request = {.header = {.nlmsg_len = sizeof(request),
                            .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                            .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
                 .wanted = {.sdiag_family = family,
                            .sdiag_protocol = IPPROTO_TCP,
                            .idiag_ext = 1 << (INET_DIAG_INFO - 1),
                            .idiag_states = ~(1u << STATE_LISTENS)}};
    return send(fd, &request, sizeof(request), 0) < 0 ? -errno : 0;
}

static void decode_socket(struct tcp_sockets *sockets, const struct nlmsghdr *header)
{
    const struct inet_diag_msg *message = NLMSG_DATA(header);
    size_t left = header->nlmsg_len - NLMSG_LENGTH(sizeof(*message));
    const char *at = (const char *)(message + 1);
    while (left >= sizeof(struct nlattr)) {
        struct nlattr attribute;
        memcpy(&attribute, at, sizeof(attribute));
        size_t const whole = NLA_ALIGN((size_t)attribute.nla_len);
        if (attribute.nla_len < sizeof(attribute) || whole > left)
            return;
        if (attribute.nla_type == INET_DIAG_INFO) {
            struct tcp_info info = {0}; /* older kernels tell less of it */
            size_t const told = attribute.nla_len - sizeof(attribute);
            memcpy(&info, at + sizeof(attribute), told < sizeof(info) ? told : sizeof(info));
            struct tcp_socket const one = {message->idiag_inode, info.tcpi_bytes_acked,
                                           info.tcpi_bytes_received};
            if (one.inode)
                (void)vec_push(&sockets->items, one);
        }
        at += whole;
        left -= whole;
    }
}

/* 1: there is more, 0: it was all; or -errno. */
static int decode_answer(struct tcp_sockets *sockets, const char *answer, size_t size)
{
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
    for (; NLMSG_OK(header, size); header = NLMSG_NEXT(header, size)) {
        if (header->nlmsg_type == NLMSG_DONE)
            return 0;
        if (header->nlmsg_type == NLMSG_ERROR)
            return -EOPNOTSUPP;
        if (header->nlmsg_len >= NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
            decode_socket(sockets, header);
    }
    return 1;
}

static int read_family(struct tcp_sockets *sockets, int fd, uint8_t family)
{
    _Alignas(struct nlmsghdr) static char answer[ANSWER_BYTES];
    int err = ask(fd, family);
    for (int more = 1; !err && more > 0;) {
        ssize_t const size = recv(fd, answer, sizeof(answer), 0);
        more = size < 0 ? -errno : size == 0 ? 0 : decode_answer(sockets, answer, (size_t)size);
        err = more < 0 ? more : 0;
    }
    return err;
}

static int by_inode(const void *a, const void *b)
{
    uint64_t const one = ((const struct tcp_socket *)a)->inode,
                   other = ((const struct tcp_socket *)b)->inode;
    return one < other ? -1 : one > other;
}

int tcp_sockets_read(struct tcp_sockets *sockets)
{
    int const fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    *sockets = (struct tcp_sockets){{0}};
    int err = fd < 0 ? -errno : read_family(sockets, fd, AF_INET);
    if (!err && read_family(sockets, fd, AF_INET6) == -ENOMEM) /* there may be no IPv6 */
        err = -ENOMEM;
    if (fd >= 0)
        close(fd);
    if (err)
        tcp_sockets_fini(sockets);
    else if (sockets->items.count)
        qsort(sockets->items.items, sockets->items.count, sizeof(struct tcp_socket), by_inode);
    return err;
}

void tcp_sockets_fini(struct tcp_sockets *sockets)
{
    vec_free(&sockets->items);
}

static const struct tcp_socket *find(const struct tcp_sockets *sockets, uint64_t inode)
{
    struct tcp_socket const wanted = {.inode = inode};
    return sockets->items.count ? bsearch(&wanted, sockets->items.items, sockets->items.count,
                                          sizeof(wanted), by_inode)
                                : NULL;
}

static int is_elsewhere(uint32_t pid)
{
    char path[64];
    struct stat theirs, ours;
    snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
    if (stat(path, &theirs) < 0)
        return errno == ENOENT ? -ESRCH : -EACCES;
    if (stat("/proc/self/ns/net", &ours) < 0 || theirs.st_ino != ours.st_ino)
        return -EXDEV;
    return 0;
}

/* The sockets of `all` that the process has open, by inode, each once. */
static int read_own(uint32_t pid, const struct tcp_sockets *all, struct tcp_sockets *own)
{
    char path[64], target[64];
    snprintf(path, sizeof(path), "/proc/%u/fd", pid);
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT ? -ESRCH : -EACCES;
    for (struct dirent *entry; (entry = readdir(folder));) {
        unsigned long long inode;
        ssize_t const size = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
        if (size <= 0)
            continue;
        target[size] = '\0';
        const struct tcp_socket *found =
            /* NOLINTNEXTLINE(cert-err34-c): the kernel's number */
            sscanf(target, "socket:[%llu]", &inode) == 1 ? find(all, inode) : NULL;
        if (found)
            (void)vec_push(&own->items, *found);
    }
    closedir(folder);
    if (own->items.count)
        qsort(own->items.items, own->items.count, sizeof(struct tcp_socket), by_inode);
    size_t kept = 0; /* one socket may have several descriptors */
    for (size_t i = 0; i < own->items.count; i++)
        if (!kept || own->items.items[kept - 1].inode != own->items.items[i].inode)
            own->items.items[kept++] = own->items.items[i];
    own->items.count = kept;
    return 0;
}

int tcp_account_look(struct tcp_account *account, uint32_t pid, const struct tcp_sockets *all)
{
    struct tcp_sockets own = {{0}};
    int err = is_elsewhere(pid);
    if (!err)
        err = read_own(pid, all, &own);
    if (err)
        return err;
    if (account->pid != pid) { /* another process counts from nothing, as any counter does */
        account->gone_sent = account->gone_received = 0;
        account->open.items.count = 0;
    }
    vec_each (before, &account->open.items) {
        const struct tcp_socket *now = find(&own, before->inode);
        if (!now || now->sent < before->sent || now->received < before->received) {
            account->gone_sent += before->sent;
            account->gone_received += before->received;
        }
    }
    tcp_sockets_fini(&account->open);
    account->open = own;
    account->pid = pid;
    account->sent = account->gone_sent;
    account->received = account->gone_received;
    vec_each (now, &own.items) {
        account->sent += now->sent;
        account->received += now->received;
    }
    return 0;
}

void tcp_account_fini(struct tcp_account *account)
{
    tcp_sockets_fini(&account->open);
    *account = (struct tcp_account){.pid = 0};
}
