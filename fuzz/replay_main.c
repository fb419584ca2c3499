/* SPDX-License-Identifier: Apache-2.0 */
/* replay_main.c - feeds every file of a folder to the fuzz target it is linked with. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1); /* exact: ASan sees one byte too far */
    if (!data || size < 0 || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fclose(file);
        free(data);
        return -1;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int replayed = 0, failed = 0;
    DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "replay: no corpus folder %s\n", argc > 1 ? argv[1] : "given");
        return 1;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        if (replay(argv[1], entry->d_name) == 0)
            replayed++;
        else
            failed++;
    }
    closedir(folder);
    printf("%d inputs replayed, %d unreadable\n", replayed, failed);
    return replayed == 0 || failed > 0;
}
