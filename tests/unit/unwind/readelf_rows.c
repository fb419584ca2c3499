/* SPDX-License-Identifier: Apache-2.0 */
#include "readelf_rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CIES_MAX 64

/* What is being read: one table at a time. */
struct telling {
    told_row_fn told;
    void *context;
    long count;
    uint64_t low, high; /* of the FDE; equal in a CIE */
    int columns[TOLD_REGISTERS];
    unsigned column_count;
    struct told_row pending; /* its end is known with the next line */
    bool has_pending;
    struct {
        uint64_t offset;
        struct told_row row;
    } cies[CIES_MAX];
    unsigned cie_count;
    uint64_t cie;
};

static int register_number(const char *name)
{
    static const char *const names[TOLD_REGISTERS] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                      "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                      "r12", "r13", "r14", "r15", "ra"};
    for (int i = 0; i < TOLD_REGISTERS; i++) {
        if (strcmp(name, names[i]) == 0)
            return i;
    }
    return -1; /* a vector register: nobody asks for it */
}

static void finish_row(struct telling *telling, uint64_t end)
{
    if (telling->has_pending && telling->pending.start < end) {
        telling->pending.end = end;
        telling->told(telling->context, &telling->pending);
        telling->count++;
    }
    telling->has_pending = false;
}

static void finish_table(struct telling *telling)
{
    if (telling->low < telling->high && !telling->has_pending) { /* nothing but its CIE's row */
        for (unsigned i = 0; i < telling->cie_count; i++) {
            if (telling->cies[i].offset == telling->cie) {
                telling->pending = telling->cies[i].row;
                telling->pending.start = telling->low;
                telling->has_pending = true;
            }
        }
    }
    finish_row(telling, telling->high);
    telling->low = telling->high = 0;
}

static void read_columns(struct telling *telling, char *line)
{
    char *rest, *word = strtok_r(line, " \n", &rest); /* LOC */
    telling->column_count = 0;
    word = strtok_r(NULL, " \n", &rest); /* CFA */
    while (word && (word = strtok_r(NULL, " \n", &rest)) && telling->column_count < TOLD_REGISTERS)
        telling->columns[telling->column_count++] = register_number(word);
}

static void read_row(struct telling *telling, char *line)
{
    struct told_row row = {.start = strtoull(line, NULL, 16)};
    char *rest, *word;
    strtok_r(line, " \n", &rest);
    word = strtok_r(NULL, " \n", &rest);
    snprintf(row.cfa, sizeof(row.cfa), "%s", word ? word : "");
    for (unsigned i = 0; i < telling->column_count; i++) {
        do
            word = strtok_r(NULL, " \n", &rest);
        while (word && word[0] == '('); /* "r1 (rdx)" */
        if (telling->columns[i] >= 0 && word)
            snprintf(row.saved[telling->columns[i]], sizeof(row.saved[0]), "%s", word);
    }
    if (telling->low == telling->high) {
        if (telling->cie_count < CIES_MAX) {
            telling->cies[telling->cie_count].offset = telling->cie;
            telling->cies[telling->cie_count++].row = row;
        }
        return;
    }
    finish_row(telling, row.start);
    telling->pending = row;
    telling->has_pending = true;
}

static void read_line(struct telling *telling, char *line)
{
    unsigned long long offset, low, high;
    if (strstr(line, " CIE ")) {
        finish_table(telling);
        telling->cie = strtoull(line, NULL, 16);
    } else if (sscanf(line, "%*x %*x %*x FDE cie=%llx pc=%llx..%llx", &offset, &low, &high) == 3) {
        finish_table(telling);
        telling->cie = offset;
        telling->low = low;
        telling->high = high;
    } else if (strncmp(line, "   LOC ", 7) == 0) {
        read_columns(telling, line);
    } else if (strspn(line, "0123456789abcdef") == 16 && line[16] == ' ') {
        read_row(telling, line);
    }
}

long readelf_rows(const char *path, told_row_fn told, void *context)
{
    int pipe_ends[2], status;
    if (pipe(pipe_ends) < 0)
        return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipe_ends[1], 1);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        execlp("readelf", "readelf", "--debug-dump=frames-interp,no-follow-links", path,
               (char *)NULL);
        _exit(127);
    }
    close(pipe_ends[1]);
    struct telling *telling = calloc(1, sizeof(*telling));
    telling->told = told;
    telling->context = context;
    FILE *out = fdopen(pipe_ends[0], "r");
    char *line = NULL;
    size_t room = 0;
    bool ours = false; /* .debug_frame may follow */
    while (getline(&line, &room, out) >= 0) {
        if (strstr(line, "Contents of the "))
            ours = strstr(line, ".eh_frame section") != NULL;
        else if (ours)
            read_line(telling, line);
    }
    finish_table(telling);
    long count = telling->count;
    free(line);
    free(telling);
    fclose(out);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? count : -1;
}
