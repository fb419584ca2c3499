/* Touches memory in functions whose names say how much, one step for each line on standard
 * input; prints when it is done. Nothing of a step is left to chance: no allocator, fixed sizes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB  (1ul << 20)
#define PAGE 4096ul

static char *map_anonymous(size_t size, int more)
{
    char *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more, -1, 0);
    if (memory == MAP_FAILED)
        exit(1);
    return memory;
}

static void touch(char *memory, size_t size)
{
    for (size_t at = 0; at < size; at += PAGE)
        ((volatile char *)memory)[at] = 1;
}

static char *anon, *moved, *file_memory;

__attribute__((noinline)) static void touch_64_mib(void)
{
    anon = map_anonymous(64 * MIB, 0);
    madvise(anon, 64 * MIB, MADV_NOHUGEPAGE);
    touch(anon, 64 * MIB);
}

__attribute__((noinline)) static void give_back_16_mib(void)
{
    madvise(anon, 16 * MIB, MADV_DONTNEED);
}

__attribute__((noinline)) static void populate_8_mib(void)
{
    map_anonymous(8 * MIB, MAP_POPULATE);
}

__attribute__((noinline)) static void grow_4_to_32_mib(void)
{
    size_t size = 4 * MIB;
    moved = map_anonymous(size, 0);
    madvise(moved, size, MADV_NOHUGEPAGE);
    touch(moved, size);
    while (size < 32 * MIB) {
        (void)map_anonymous(PAGE, MAP_NORESERVE); /* in the way of growing in place */
        moved = mremap(moved, size, 2 * size, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED)
            exit(1);
        touch(moved + size, size);
        size *= 2;
    }
}

/* To addresses that it names itself, as allocators and collectors do. */
__attribute__((noinline)) static void move_9_mib(void)
{
    char *memory = map_anonymous(9 * MIB, 0);
    char *room = mmap(NULL, 16 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        exit(1);
    madvise(memory, 9 * MIB, MADV_NOHUGEPAGE);
    touch(memory, 9 * MIB);
    if (mremap(memory, 9 * MIB, 9 * MIB, MREMAP_MAYMOVE | MREMAP_FIXED, room + 5 * PAGE) ==
        MAP_FAILED)
        exit(1);
}

static char *replaced;

__attribute__((noinline)) static void touch_7_mib(void)
{
    replaced = map_anonymous(7 * MIB, 0);
    madvise(replaced, 7 * MIB, MADV_NOHUGEPAGE);
    touch(replaced, 7 * MIB);
}

/* In the place of those, all but one. */
__attribute__((noinline)) static void replace_6_mib(void)
{
    if (mmap(replaced, 6 * MIB, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1, 0) == MAP_FAILED)
        exit(1);
}

__attribute__((noinline)) static void huge_20_mib(void)
{
    char *memory = map_anonymous(24 * MIB, 0);
    memory = (char *)(((unsigned long)memory + 2 * MIB - 1) & ~(2 * MIB - 1));
    madvise(memory, 20 * MIB, MADV_HUGEPAGE);
    touch(memory, 20 * MIB);
}

__attribute__((noinline)) static void write_file_12_mib(void)
{
    int fd = open("touched.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *block = map_anonymous(MIB, 0);
    memset(block, 1, MIB);
    for (int i = 0; i < 12; i++)
        if (write(fd, block, MIB) != (ssize_t)MIB)
            exit(1);
    munmap(block, MIB);
    close(fd);
}

__attribute__((noinline)) static void map_file_12_mib(void)
{
    int fd = open("touched.bin", O_RDONLY);
    unsigned long sum = 0;
    file_memory = mmap(NULL, 12 * MIB, PROT_READ, MAP_SHARED, fd, 0);
    if (file_memory == MAP_FAILED)
        exit(1);
    for (size_t at = 0; at < 12 * MIB; at += PAGE)
        sum += (unsigned long)((volatile char *)file_memory)[at];
    close(fd);
    if (sum == 0)
        exit(1);
}

__attribute__((noinline)) static void share_6_mib(void)
{
    char *memory = mmap(NULL, 6 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(1);
    touch(memory, 6 * MIB);
}

__attribute__((noinline)) static void touch_5_mib(void)
{
    touch(map_anonymous(5 * MIB, 0), 5 * MIB);
}

__attribute__((noinline)) static void fork_a_child(void)
{
    int go[2];
    if (pipe(go) < 0)
        exit(1);
    if (fork() == 0) {
        char letter;
        touch_5_mib();
        printf("child %d\n", (int)getpid());
        fflush(stdout);
        close(go[1]);
        (void)!read(go[0], &letter, 1); /* until the parent ends */
        _exit(0);
    }
}

static const struct {
    const char *name;
    void (*step)(void);
} steps[] = {{"anon", touch_64_mib},     {"drop", give_back_16_mib}, {"populate", populate_8_mib},
             {"move", grow_4_to_32_mib}, {"huge", huge_20_mib},      {"write", write_file_12_mib},
             {"map", map_file_12_mib},   {"share", share_6_mib},     {"fork", fork_a_child},
             {"fix", move_9_mib},        {"touch", touch_7_mib},     {"replace", replace_6_mib}};

int main(void)
{
    char line[32];
    setvbuf(stdin, NULL, _IONBF, 0);
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
            if (strcmp(line, steps[i].name) == 0)
                steps[i].step();
        printf("%s\n", line);
        fflush(stdout);
    }
    return 0;
}
