/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/http/listen_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/http/request_text.h"

#define BACKLOG 128

static int bad_address(const char *text, struct fault *fault)
{
    return fault_set(fault, -EINVAL,
                     "cannot listen on \"%.80s\": give ADDRESS:PORT in numbers, such as "
                     "127.0.0.1:17832 or [::1]:17832, or only a port",
                     text);
}

static void set_port(struct listen_address *address, uint64_t port)
{
    in_port_t const bytes = htons((uint16_t)port);
    if (address->socket.any.sa_family == AF_INET6)
        address->socket.v6.sin6_port = bytes;
    else
        address->socket.v4.sin_port = bytes;
}

static bool set_name(struct listen_address *address, struct slice name)
{
    char text[64];
    if (name.size >= sizeof(text))
        return false;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    if (strcasecmp(text, "localhost") == 0)
        snprintf(text, sizeof(text), "127.0.0.1");
    address->is_loopback = host_is_loopback(slice_of(text));
    address->socket.any.sa_family = AF_INET;
    if (inet_pton(AF_INET, text, &address->socket.v4.sin_addr) == 1)
        return true;
    address->socket.any.sa_family = AF_INET6;
    return inet_pton(AF_INET6, text, &address->socket.v6.sin6_addr) == 1;
}

int listen_address_parse(const char *text, struct listen_address *address, struct fault *fault)
{
    struct slice name;
    uint64_t port = SERVE_PORT;
    memset(address, 0, sizeof(*address));
    if (number_parse(text, 0, 65535, &port) == 0) {
        set_name(address, slice_of("127.0.0.1"));
        set_port(address, port);
        return 0;
    }
    if (!host_parse(slice_of(text), &name) || !set_name(address, name))
        return bad_address(text, fault);
    const char *rest = name.data + name.size;
    rest += *rest == ']';
    if (*rest == ':' && number_parse(rest + 1, 0, 65535, &port) < 0)
        return bad_address(text, fault);
    set_port(address, port);
    return 0;
}

void listen_address_render(const struct listen_address *address, char text[LISTEN_TEXT_MOST])
{
    char name[INET6_ADDRSTRLEN] = "";
    if (address->socket.any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &address->socket.v6.sin6_addr, name, sizeof(name));
        snprintf(text, LISTEN_TEXT_MOST, "[%s]:%u", name, ntohs(address->socket.v6.sin6_port));
    } else {
        inet_ntop(AF_INET, &address->socket.v4.sin_addr, name, sizeof(name));
        snprintf(text, LISTEN_TEXT_MOST, "%s:%u", name, ntohs(address->socket.v4.sin_port));
    }
}

static int explain(const struct listen_address *address, int error, struct fault *fault)
{
    char text[LISTEN_TEXT_MOST];
    listen_address_render(address, text);
    if (error == EADDRINUSE)
        return fault_set(fault, -error,
                         "cannot listen on %s: something listens there already; end it, or choose "
                         "another port with --listen",
                         text);
    return fault_set(fault, -error, "cannot listen on %s: %s", text, strerror(error));
}

int listen_address_open(struct listen_address *address, struct fault *fault)
{
    bool const is_v6 = address->socket.any.sa_family == AF_INET6;
    socklen_t size = is_v6 ? sizeof(address->socket.v6) : sizeof(address->socket.v4);
    int const yes = 1;
    int const fd = socket(address->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                          IPPROTO_TCP);
    if (fd < 0)
        return explain(address, errno, fault);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (is_v6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
    if (bind(fd, &address->socket.any, size) < 0 || listen(fd, BACKLOG) < 0 ||
        getsockname(fd, &address->socket.any, &size) < 0) {
        int const err = explain(address, errno, fault);
        close(fd);
        return err;
    }
    return fd;
}
