/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_listening.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/proc_text.h"
#include "procfs/process/process_age.h"

#define TABLE_MAX (64u << 20)

/* "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0  123456
 *     …" */
static bool parse_line(const char *line, uint16_t port, socket_list *sockets)
{
    unsigned at, state;
    unsigned long long inode;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
    if (sscanf(line,
               " %*u: %*[0-9A-Fa-f]:%4x %*[0-9A-Fa-f]:%*x %2x %*x:%*x %*x:%*x %*x %*u %*u %llu",
               &at, &state, &inode) != 3 ||
        at != port || state != 0x0a || inode == 0)
        return true;
    return vec_push(sockets, inode);
}

bool listening_sockets_parse(struct slice text, uint16_t port, socket_list *sockets)
{
    while (text.size > 0) {
        char line[256];
        const char *end = memchr(text.data, '\n', text.size);
        size_t const size = end ? (size_t)(end - text.data) + 1 : text.size;
        size_t const kept = size < sizeof(line) ? size : sizeof(line) - 1;
        memcpy(line, text.data, kept);
        line[kept] = '\0';
        if (!parse_line(line, port, sockets))
            return false;
        text = (struct slice){text.data + size, text.size - size};
    }
    return true;
}

int listening_sockets_read(uint16_t port, socket_list *sockets)
{
    static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    *sockets = (socket_list){.count = 0};
    for (size_t i = 0; i < 2; i++) {
        char *text;
        int const err = proc_text_read(tables[i], TABLE_MAX, &text);
        if (err == -ENOENT)
            continue; /* without IPv6 */
        bool const fits = !err && listening_sockets_parse(slice_of(text), port, sockets);
        if (!err)
            free(text);
        if (!fits) {
            vec_free(sockets);
            return err ? err : -ENOMEM;
        }
    }
    return 0;
}

static bool is_one_of(const char *target, const socket_list *sockets)
{
    unsigned long long inode;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's number */
    if (sscanf(target, "socket:[%llu]", &inode) != 1)
        return false;
    vec_each (socket, sockets)
        if (*socket == inode)
            return true;
    return false;
}

bool process_has_socket(uint32_t pid, const socket_list *sockets)
{
    bool found = false;
    DIR *folder = proc_open_folder(pid, PROC_FDS);
    if (!folder)
        return false;
    for (struct dirent *entry; !found && (entry = readdir(folder));) {
        char target[64];
        ssize_t const size = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
        if (size > 0) {
            target[size] = '\0';
            found = is_one_of(target, sockets);
        }
    }
    closedir(folder);
    return found;
}

uint32_t process_of_sockets(const socket_list *sockets)
{
    uint32_t oldest = 0;
    uint64_t oldest_ticks = UINT64_MAX;
    DIR *folder = sockets->count ? opendir("/proc") : NULL;
    if (!folder)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        uint64_t ticks, unix_ns;
        uint32_t const pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (pid == 0 || !process_has_socket(pid, sockets) ||
            process_age_read(pid, &ticks, &unix_ns) != 0)
            continue;
        if (ticks < oldest_ticks || (ticks == oldest_ticks && pid < oldest)) {
            oldest = pid;
            oldest_ticks = ticks;
        }
    }
    closedir(folder);
    return oldest;
}
