/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/foreign_request.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static foreign_asker asker;

void foreign_ask_by(foreign_asker wanted)
{
    asker = wanted;
}

bool foreign_is_asked(void)
{
    return asker != NULL;
}

int foreign_ask_path(enum foreign_kind kind, const char *root, const char *path,
                     const struct foreign_limits *limits)
{
    struct foreign_request request = {.kind = (uint32_t)kind,
                                      .refuses_link = limits->refuses_link,
                                      .bytes_max = limits->bytes_max};
    if (strlen(root) >= sizeof(request.root) || strlen(path) >= sizeof(request.path))
        return -ENAMETOOLONG;
    memcpy(request.root, root, strlen(root) + 1);
    memcpy(request.path, path, strlen(path) + 1);
    return asker(&request);
}

int foreign_ask_process(enum foreign_kind kind, uint32_t pid, uint64_t start, uint64_t end,
                        const struct foreign_limits *limits)
{
    struct foreign_request const request = {.kind = (uint32_t)kind,
                                            .pid = pid,
                                            .refuses_link = limits->refuses_link,
                                            .start = start,
                                            .end = end,
                                            .bytes_max = limits->bytes_max};
    return asker(&request);
}

bool foreign_request_is_valid(const struct foreign_request *request)
{
    return request->kind <= FOREIGN_DEBUG && memchr(request->root, '\0', sizeof(request->root)) &&
           memchr(request->path, '\0', sizeof(request->path));
}

int foreign_request_serve(const struct foreign_request *request)
{
    struct foreign_limits const limits = {.bytes_max = request->bytes_max,
                                          .refuses_link = request->refuses_link != 0};
    switch ((enum foreign_kind)request->kind) {
    case FOREIGN_BELOW:
        return foreign_file_open_below(request->root, request->path, &limits, NULL);
    case FOREIGN_PROGRAM:
        return foreign_program_open(request->pid, &limits, NULL);
    case FOREIGN_MAPPING:
        return foreign_mapping_open(request->pid, request->start, request->end, &limits, NULL);
    case FOREIGN_MAPPED:
    case FOREIGN_DEBUG:
        break;
    }
    return -EINVAL;
}

bool foreign_is_elf(int fd)
{
    char head[SELFMAG];
    return pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
           memcmp(head, ELFMAG, sizeof(head)) == 0;
}
