/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/lookup/kernel_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/vec.h"

#define TEXT_MAX  ((size_t)256 << 20)
#define LAST_SIZE 4096u /* of the last function of all, whose end nobody tells */

struct kernel_name {
    uint64_t address;
    uint32_t text;   /* in `texts`: the function, and behind its NUL the module */
    uint32_t weight; /* of several at one address the least is taken */
};

struct kernel_names {
    VEC(struct kernel_name) names; /* by address, each once */
    VEC(char) texts;
    bool are_hidden;
};

/* A word off the front of a line. */
static struct slice consume_word(struct slice *line)
{
    size_t from = 0, to;
    while (from < line->size && (line->data[from] == ' ' || line->data[from] == '\t'))
        from++;
    for (to = from; to < line->size && line->data[to] != ' ' && line->data[to] != '\t';)
        to++;
    struct slice const word = {line->data + from, to - from};
    *line = (struct slice){line->data + to, line->size - to};
    return word;
}

static bool parse_address(struct slice word, uint64_t *address)
{
    *address = 0;
    for (size_t i = 0; i < word.size; i++) {
        char const c = word.data[i];
        unsigned const digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                      : 16;
        if (digit > 15)
            return false;
        *address = *address << 4 | digit;
    }
    return word.size > 0 && word.size <= 16;
}

static bool keep_text(struct kernel_names *names, struct slice text)
{
    if (!vec_reserve(&names->texts, text.size + 1))
        return false;
    for (size_t i = 0; i < text.size; i++) /* names of modules are anybody's */
        names->texts.items[names->texts.count++] =
            (unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f ? '?' : text.data[i];
    names->texts.items[names->texts.count++] = '\0';
    return true;
}

/* Global ones first, then short ones; what only the compiler or the linker made comes last. */
static uint32_t weigh(char type, struct slice name)
{
    bool const is_global = type == 'T' || type == 'W';
    bool const is_made = name.size > 1 && name.data[0] == '_';
    return (uint32_t)(name.size < 1000 ? name.size : 1000) + (is_global ? 0 : 2000) +
           (is_made ? 4000 : 0);
}

/* One line: address, type, name and perhaps [module].  -ENOMEM; whatever else is wrong with it,
 * it is left out. */
static int parse_line(struct kernel_names *names, struct slice line, size_t *zeros)
{
    uint64_t address;
    bool const has_address = parse_address(consume_word(&line), &address);
    struct slice const type = consume_word(&line), name = consume_word(&line);
    struct slice module = consume_word(&line);
    if (!has_address || type.size != 1 || name.size == 0 || !strchr("tTwW", type.data[0]))
        return 0;
    *zeros += address == 0;
    if (address == 0 || names->texts.count > TEXT_MAX)
        return 0;
    if (module.size > 2 && module.data[0] == '[')
        module = (struct slice){module.data + 1, module.size - 2};
    struct kernel_name const made = {.address = address,
                                     .text = (uint32_t)names->texts.count,
                                     .weight = weigh(type.data[0], name)};
    return keep_text(names, name) && keep_text(names, module) && vec_push(&names->names, made)
               ? 0
               : -ENOMEM;
}

static int by_address(const void *left, const void *right)
{
    const struct kernel_name *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return a->text < b->text ? -1 : a->text > b->text;
}

static void sort_names(struct kernel_names *names)
{
    size_t kept = 0;
    if (names->names.count == 0)
        return;
    qsort(names->names.items, names->names.count, sizeof(struct kernel_name), by_address);
    for (size_t i = 1; i < names->names.count; i++)
        if (names->names.items[i].address != names->names.items[kept].address)
            names->names.items[++kept] = names->names.items[i];
    names->names.count = kept + 1;
}

struct kernel_names *kernel_names_parse(struct slice text)
{
    struct kernel_names *names = calloc(1, sizeof(*names));
    size_t zeros = 0;
    int err = names ? 0 : -ENOMEM;
    while (err == 0 && text.size > 0) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t const length = end ? (size_t)(end - text.data) : text.size;
        err = parse_line(names, (struct slice){text.data, length}, &zeros);
        text.data += length + (end != NULL);
        text.size -= length + (end != NULL);
    }
    if (err < 0) {
        kernel_names_free(names);
        return NULL;
    }
    names->are_hidden = zeros > names->names.count;
    if (names->are_hidden)
        names->names.count = 0;
    sort_names(names);
    return names;
}

static int kept = -1;

void kernel_names_keep(void)
{
    if (kept < 0)
        kept = open(KERNEL_NAMES, O_RDONLY | O_CLOEXEC);
}

int kernel_names_open(void)
{
    if (kept < 0)
        return open(KERNEL_NAMES, O_RDONLY | O_CLOEXEC);
    return lseek(kept, 0, SEEK_SET) < 0 ? -1 : fcntl(kept, F_DUPFD_CLOEXEC, 0);
}

struct kernel_names *kernel_names_read(const char *path)
{
    VEC(char) text = {.items = NULL};
    struct kernel_names *names = NULL;
    int const fd = path ? open(path, O_RDONLY | O_CLOEXEC) : kernel_names_open();
    ssize_t got = fd < 0 ? -1 : 1;
    while (got > 0 && text.count < TEXT_MAX && vec_reserve(&text, (size_t)1 << 20)) {
        got = read(fd, text.items + text.count, text.room - text.count);
        text.count += got > 0 ? (size_t)got : 0;
    }
    if (got == 0)
        names = kernel_names_parse((struct slice){text.items, text.count});
    if (fd >= 0)
        close(fd);
    vec_free(&text);
    return names;
}

void kernel_names_free(struct kernel_names *names)
{
    if (!names)
        return;
    vec_free(&names->names);
    vec_free(&names->texts);
    free(names);
}

bool kernel_names_are_hidden(const struct kernel_names *names)
{
    return names->are_hidden;
}

bool kernel_names_find(const struct kernel_names *names, uint64_t address, const char **function,
                       const char **module)
{
    /* the first behind it */
    size_t const at = vec_lower_bound(&names->names, entry, entry->address <= address);
    if (at == 0)
        return false;
    const struct kernel_name *found = &names->names.items[at - 1];
    if (at == names->names.count && address - found->address >= LAST_SIZE)
        return false;
    *function = names->texts.items + found->text;
    *module = *function + strlen(*function) + 1;
    return true;
}
