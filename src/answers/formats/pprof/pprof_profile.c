/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/pprof_legacy/pprof_legacy.h"
#include "formats/pprof/pprof_parts.h"

#define BASE_KEY   "pprof::base"
#define INUSE      "inuse_"
#define FILE_PIECE ((size_t)64 << 10)

void pprof_destroy(struct pprof_profile *profile)
{
    if (!profile)
        return;
    vec_free(&profile->types);
    vec_free(&profile->samples);
    vec_free(&profile->values);
    vec_free(&profile->stacks);
    vec_free(&profile->labels);
    vec_free(&profile->locations);
    vec_free(&profile->lines);
    vec_free(&profile->functions);
    vec_free(&profile->mappings);
    vec_free(&profile->strings);
    vec_free(&profile->comments);
    free(profile->bytes);
    free(profile);
}

struct pprof_profile *pprof_read_bytes(const void *data, size_t size, struct fault *fault)
{
    struct pprof_profile *profile = calloc(1, sizeof(*profile));
    int err = 0;
    if (!profile) {
        fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    profile->bytes = pprof_unpack((struct slice){data, size}, &profile->size, fault);
    if (!profile->bytes)
        err = -EINVAL;
    else if (profile->size == 0)
        err = fault_set(fault, -EINVAL, "it is empty: the node answered with nothing");
    else if (pprof_legacy_recognise((struct slice){profile->bytes, profile->size}))
        err = pprof_parse_legacy(profile, fault);
    else
        err = pprof_parse_proto(profile, fault);
    if (err == 0)
        return profile;
    pprof_destroy(profile);
    return NULL;
}

/* The file as it is, into a block that the caller frees.  NULL with a sentence. */
static char *read_packed(int fd, size_t *size, struct fault *fault)
{
    struct stat status;
    size_t room = fstat(fd, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size + 1 : 0;
    size_t used = 0;
    ssize_t got = 1;
    room = room < FILE_PIECE ? FILE_PIECE : room > PPROF_BYTES_MAX ? PPROF_BYTES_MAX + 1 : room;
    char *bytes = malloc(room), *grown;
    while (bytes && got != 0 && used <= PPROF_BYTES_MAX) {
        if (used == room) {
            if (!(grown = realloc(bytes, room *= 2)))
                free(bytes);
            bytes = grown;
        }
        got = bytes ? pread(fd, bytes + used, room - used, (off_t)used) : 0;
        if (got < 0 && errno != EINTR)
            break;
        used += got > 0 ? (size_t)got : 0;
    }
    *size = used;
    if (bytes && got >= 0 && used <= PPROF_BYTES_MAX)
        return bytes;
    if (!bytes)
        fault_set(fault, -ENOMEM, "there is not enough memory for it");
    else if (got < 0)
        fault_set(fault, -errno, "%s", strerror(errno));
    else
        fault_set(fault, -E2BIG, "it is larger than %zu MiB", PPROF_BYTES_MAX >> 20);
    free(bytes);
    return NULL;
}

struct pprof_profile *pprof_read_fd(int fd, struct fault *fault)
{
    size_t size;
    char *bytes = read_packed(fd, &size, fault);
    struct pprof_profile *profile = bytes ? pprof_read_bytes(bytes, size, fault) : NULL;
    free(bytes);
    return profile;
}

struct pprof_profile *pprof_read_file(const char *path, struct fault *fault)
{
    struct fault inner = {0};
    struct stat status;
    struct pprof_profile *profile = NULL;
    int const fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        fault_set(&inner, -errno, "%s", strerror(errno));
    else if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        fault_set(&inner, -EINVAL, "it is not an ordinary file");
    else
        profile = pprof_read_fd(fd, &inner);
    if (fd >= 0)
        close(fd);
    if (!profile)
        fault_set(fault, inner.code, "cannot read %s: %s", path, inner.text);
    return profile;
}

static bool is_type(const struct pprof_profile *profile, size_t column, const char *name)
{
    return slice_equals(pprof_text(profile, profile->types.items[column].type), slice_of(name));
}

static int find_type(const struct pprof_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->types.count; i++)
        if (is_type(profile, i, name))
            return (int)i;
    return -ENOENT;
}

static int default_column(const struct pprof_profile *profile)
{
    struct slice const wanted = pprof_text(profile, profile->default_type);
    for (size_t i = 0; i < profile->types.count && wanted.size; i++)
        if (slice_equals(pprof_text(profile, profile->types.items[i].type), wanted))
            return (int)i;
    return profile->types.count ? (int)profile->types.count - 1 : -ENOENT;
}

int pprof_column(const struct pprof_profile *profile, const char *wanted)
{
    char *end;
    if (!wanted)
        return default_column(profile);
    int const column = find_type(profile, wanted);
    if (column >= 0)
        return column;
    if (strncmp(wanted, INUSE, strlen(INUSE)) == 0)
        return find_type(profile, wanted + strlen(INUSE));
    errno = 0;
    unsigned long const number = strtoul(wanted, &end, 10);
    bool const is_number = *wanted >= '0' && *wanted <= '9' && *end == '\0' && errno == 0;
    return is_number && number < profile->types.count ? (int)number : -ENOENT;
}

static bool is_base(const struct pprof_profile *profile, const struct pprof_sample *sample)
{
    for (uint32_t i = 0; i < sample->label_count; i++) {
        const struct pprof_label *label = &profile->labels.items[sample->first_label + i];
        if (slice_equals(pprof_text(profile, label->key), slice_of(BASE_KEY)) &&
            slice_equals(pprof_text(profile, label->text), slice_of("true")))
            return true;
    }
    return false;
}

static bool has_string(const struct pprof_profile *profile, const char *text)
{
    vec_each (string, &profile->strings)
        if (slice_equals(*string, slice_of(text)))
            return true;
    return false;
}

/* Of all samples, or of those of the base; *any tells whether there was one. */
static int64_t sum(const struct pprof_profile *profile, unsigned column, bool of_base, bool *any)
{
    uint64_t total = 0;
    *any = false;
    for (size_t i = 0; i < profile->samples.count; i++) {
        int64_t const value = pprof_value(profile, i, column);
        if (of_base && !is_base(profile, &profile->samples.items[i]))
            continue;
        *any = true;
        if (__builtin_add_overflow(total, value < 0 ? -(uint64_t)value : (uint64_t)value, &total))
            return INT64_MAX;
    }
    return total > INT64_MAX ? INT64_MAX : (int64_t)total;
}

int64_t pprof_total(const struct pprof_profile *profile, unsigned column)
{
    bool any = false;
    int64_t total = 0;
    if (column >= profile->types.count)
        return 0;
    if (has_string(profile, BASE_KEY))
        total = sum(profile, column, true, &any);
    return any ? total : sum(profile, column, false, &any);
}
