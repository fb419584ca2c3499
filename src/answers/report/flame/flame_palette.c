/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flame/flame_palette.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/recording.h"

struct tone {
    uint32_t light, dark;
};

/* Steps of equal perceived lightness and strength around the colour circle (OKLCH: light 0.83,
 * dark 0.46); the shades lie 0.035 below and above. */
// clang-format off
static const struct tone tones[][PALETTE_HUES][PALETTE_SHADES] = {
    [FLAME_BY_MODULE] = {
        {{0xf7b886, 0x7a4c23}, {0xebad7b, 0x71441a}, {0xffc491, 0x82542b}},
        {{0xe0c57b, 0x6a5516}, {0xd5ba70, 0x624e0b}, {0xecd086, 0x725d20}},
        {{0xbfd188, 0x525f25}, {0xb4c67d, 0x4b571c}, {0xcadd93, 0x5a672d}},
        {{0x99daa6, 0x32653f}, {0x8ece9b, 0x2a5d37}, {0xa4e5b1, 0x3a6d46}},
        {{0x79dcca, 0x01675a}, {0x6ed1be, 0x005f52}, {0x85e8d5, 0x136f62}},
        {{0x73d9ea, 0x006472}, {0x67cddf, 0x005c69}, {0x7fe5f6, 0x056c7a}},
        {{0x8bd0ff, 0x255e82}, {0x80c5f5, 0x1b5679}, {0x96dcff, 0x2d668a}},
        {{0xaec5ff, 0x465587}, {0xa3b9fc, 0x3f4d7e}, {0xb9d0ff, 0x4d5d8f}},
        {{0xd1b9fe, 0x5f4d80}, {0xc6aef2, 0x584577}, {0xdcc4ff, 0x675488}},
        {{0xecb0e6, 0x72466e}, {0xe0a5da, 0x6a3e66}, {0xf8bcf1, 0x7a4e76}},
        {{0xfdadc5, 0x7d4356}, {0xf1a2b9, 0x753b4e}, {0xffb8d0, 0x864b5e}},
        {{0xffafa2, 0x80453c}, {0xf5a497, 0x773d34}, {0xffbbad, 0x894d43}},
    },
    [FLAME_HOT] = {
        {{0xffa496, 0x8d3a32}, {0xff998b, 0x84322a}, {0xffafa1, 0x96423a}},
        {{0xffa58d, 0x8d3b2a}, {0xff9a82, 0x843322}, {0xffb198, 0x964332}},
        {{0xffa784, 0x8c3d22}, {0xff9c7a, 0x83351a}, {0xffb38f, 0x95452a}},
        {{0xffaa7c, 0x8b3f19}, {0xff9e71, 0x82370e}, {0xffb587, 0x934722}},
        {{0xffac74, 0x89410d}, {0xffa169, 0x803900}, {0xffb77f, 0x924918}},
        {{0xffaf6d, 0x874300}, {0xfea362, 0x7e3b00}, {0xffba78, 0x904b0c}},
        {{0xffb266, 0x844500}, {0xfba65b, 0x7c3d00}, {0xffbd72, 0x8d4d00}},
        {{0xffb560, 0x824800}, {0xf6a955, 0x794000}, {0xffc06c, 0x8a5000}},
        {{0xfeb85b, 0x7e4a00}, {0xf2ad4f, 0x764300}, {0xffc367, 0x875200}},
        {{0xf8bb58, 0x7b4d00}, {0xecb04b, 0x724500}, {0xffc664, 0x835500}},
        {{0xf2be55, 0x775000}, {0xe7b349, 0x6f4800}, {0xfeca61, 0x7f5800}},
        {{0xecc254, 0x735200}, {0xe0b647, 0x6a4a00}, {0xf8cd60, 0x7b5a00}},
    },
    [FLAME_MEM] = {
        {{0xb3d587, 0x496223}, {0xa8ca7c, 0x415a1b}, {0xbee192, 0x506a2c}},
        {{0xacd78c, 0x436328}, {0xa1cb81, 0x3c5b20}, {0xb7e297, 0x4b6b30}},
        {{0xa5d891, 0x3e642d}, {0x9acd86, 0x365c25}, {0xb0e49c, 0x456c35}},
        {{0x9eda97, 0x386532}, {0x94ce8c, 0x305d2a}, {0xaae5a2, 0x3f6d3a}},
        {{0x98db9c, 0x316637}, {0x8dcf91, 0x295e2f}, {0xa3e6a7, 0x396e3f}},
        {{0x91dca2, 0x2a663c}, {0x86d097, 0x215e34}, {0x9ce8ad, 0x326f43}},
        {{0x8adda8, 0x226741}, {0x7fd19d, 0x185f39}, {0x96e8b3, 0x2b6f48}},
        {{0x84deae, 0x196845}, {0x78d2a4, 0x0c603e}, {0x8fe9ba, 0x24704d}},
        {{0x7edeb5, 0x0c684a}, {0x72d3aa, 0x006043}, {0x89eac0, 0x1b7052}},
        {{0x78dfbb, 0x00684f}, {0x6cd3b0, 0x006047}, {0x83eac6, 0x0f7056}},
        {{0x72dfc1, 0x006853}, {0x66d3b6, 0x00604c}, {0x7eeacc, 0x00715b}},
        {{0x6ddfc7, 0x006858}, {0x61d3bc, 0x006050}, {0x79ead3, 0x007160}},
    },
};
// clang-format on
static const struct tone unknown_tone = {0xcfd2d6, 0x4d525a};
static const struct tone rest_tone = {0xe4e5e8, 0x34383f};
static const struct tone kernel_among_modules = {0xa9b4cc, 0x46536e};
static const struct tone kind_tones[] = {
    /* NOLINTNEXTLINE(misc-redundant-expression): as the rows below */
    [PALETTE_KERNEL - PALETTE_KERNEL] = {0xffb871, 0x80490f},
    [PALETTE_JIT - PALETTE_KERNEL] = {0x9ad98f, 0x346a2c},
    [PALETTE_INLINED - PALETTE_KERNEL] = {0x86dfe0, 0x1a6a6b},
    [PALETTE_CPLUS - PALETTE_KERNEL] = {0xecd86f, 0x6d5a00},
    [PALETTE_CODE - PALETTE_KERNEL] = {0xffab9b, 0x8a4036},
};

/* In the order of their classes; the last is any other. */
static const struct {
    const char *name;
    struct tone tone;
} waits[PALETTE_WAITS] = {
    {"[waits: lock]", {0xf2a7c0, 0x7d3d55}},    {"[waits: disk]", {0x9cc7ff, 0x2f5a8a}},
    {"[waits: sleep]", {0xd5d9e0, 0x4f555f}},   {"[waits: network]", {0x8fe0d6, 0x0f6a60}},
    {"[waits: poll]", {0xc3d0f5, 0x475783}},    {"[waits: pipe]", {0xbfe3a0, 0x49661f}},
    {"[waits: child]", {0xe8c9ff, 0x63457f}},   {"[waits: processor]", {0xffc48f, 0x85501a}},
    {"[waits: stopped]", {0xc9c2b6, 0x575045}}, {"[waits]", {0xb9c4d2, 0x48525f}},
};

/* White, grey, blues, reds: told apart also by those who do not tell red from green.  What is
 * gone is hatched besides. */
static const struct tone change_tones[CHANGE_KINDS] = {
    [CHANGE_NONE] = {0xf4f1e8, 0x3a3d42},     [CHANGE_NOISE] = {0xd4d6da, 0x484c53},
    [CHANGE_SHRANK_1] = {0xd6e6fb, 0x2f4258}, [CHANGE_SHRANK_2] = {0xadcffa, 0x2c4f78},
    [CHANGE_SHRANK_3] = {0x7db1f2, 0x2a5f9c}, [CHANGE_SHRANK_4] = {0x5597e8, 0x2a6fc0},
    [CHANGE_GREW_1] = {0xffe0d8, 0x5a3631},   [CHANGE_GREW_2] = {0xffbfae, 0x7a3b33},
    [CHANGE_GREW_3] = {0xfa937f, 0x9c3c31},   [CHANGE_GREW_4] = {0xec6a56, 0xb83c2e},
    [CHANGE_NEW] = {0xffb02e, 0x955a00},      [CHANGE_GONE] = {0x8fb8ea, 0x2a5488},
};

const struct palette_kind palette_kinds[] = {
    {"kernel", PALETTE_KERNEL},        {"compiled while it ran", PALETTE_JIT},
    {"inlined", PALETTE_INLINED},      {"C++", PALETTE_CPLUS},
    {"other code", PALETTE_CODE},      {"waits: lock", PALETTE_WAIT_0},
    {"disk", PALETTE_WAIT_0 + 1},      {"sleep", PALETTE_WAIT_0 + 2},
    {"network", PALETTE_WAIT_0 + 3},   {"poll", PALETTE_WAIT_0 + 4},
    {"pipe", PALETTE_WAIT_0 + 5},      {"child", PALETTE_WAIT_0 + 6},
    {"processor", PALETTE_WAIT_0 + 7}, {"stopped", PALETTE_WAIT_0 + 8},
    {"waits", PALETTE_WAIT_0 + 9},     {NULL, 0},
};

static int by_weight(const void *a, const void *b)
{
    const struct palette_module *left = a, *right = b;
    if (left->weight != right->weight)
        return left->weight < right->weight ? 1 : -1;
    return left->hash < right->hash ? -1 : left->hash > right->hash;
}

void palette_assign(struct palette *palette, uint64_t program_hash)
{
    bool is_taken[PALETTE_HUES] = {true}; /* hue 0 waits for the program */
    if (palette->modules.count == 0)
        return;
    qsort(palette->modules.items, palette->modules.count, sizeof(palette->modules.items[0]),
          by_weight);
    vec_each (module, &palette->modules) {
        unsigned const wanted = 1 + (unsigned)(module->hash % (PALETTE_HUES - 1));
        unsigned tries = 0, hue = wanted;
        while (is_taken[hue] && ++tries < PALETTE_HUES)
            hue = (hue + 5) % PALETTE_HUES; /* far from its neighbour; 5 reaches every hue */
        if (module->hash == program_hash)
            hue = 0;
        else if (tries == PALETTE_HUES)
            hue = wanted;
        is_taken[hue] = true;
        module->hue = hue;
    }
}

/* Code that a runtime wrote into memory, named by a map of it. */
static bool is_compiled_late(const char *path)
{
    static const char *const marks[] = {"[jit", "/perf-", "//anon", "jitted-"};
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (strstr(path, marks[i]))
            return true;
    return false;
}

static unsigned wait_class(const char *function)
{
    unsigned kind = 0;
    while (kind + 1 < PALETTE_WAITS && strcmp(function, waits[kind].name) != 0)
        kind++;
    return PALETTE_WAIT_0 + kind;
}

/* The class by kind that FLAME_BY_MODULE has as well, or PALETTE_UNKNOWN. */
static unsigned kind_class(const struct palette_frame *frame)
{
    if (frame->module_name == 0 && strncmp(frame->function, "[waits", strlen("[waits")) == 0)
        return wait_class(frame->function);
    if (frame->module_name == 0)
        return PALETTE_UNKNOWN;
    if (strcmp(frame->module_path, KERNEL_PATH) == 0)
        return PALETTE_KERNEL;
    return is_compiled_late(frame->module_path) ? PALETTE_JIT : PALETTE_UNKNOWN;
}

unsigned palette_class(const struct palette *palette, const struct palette_frame *frame)
{
    uint64_t const hash = hash_bytes(frame->function, strlen(frame->function));
    unsigned const shade = (unsigned)(hash >> 32) % PALETTE_SHADES;
    if (palette->colors == FLAME_HOT || palette->colors == FLAME_MEM)
        return (unsigned)(hash % PALETTE_HUES) * PALETTE_SHADES + shade;
    unsigned const kind = kind_class(frame);
    if (kind != PALETTE_UNKNOWN)
        return kind;
    if (palette->colors == FLAME_BY_KIND)
        return frame->module_name == 0              ? PALETTE_UNKNOWN
               : frame->inlined                     ? PALETTE_INLINED
               : strstr(frame->function, "::") != 0 ? PALETTE_CPLUS
                                                    : PALETTE_CODE;
    vec_each (module, &palette->modules) {
        if (module->name == frame->module_name)
            return module->hue * PALETTE_SHADES + shade;
    }
    return PALETTE_UNKNOWN;
}

static struct tone tone_of(const struct palette *palette, unsigned class)
{
    if (class == PALETTE_UNKNOWN)
        return unknown_tone;
    if (class == PALETTE_REST)
        return rest_tone;
    if (class >= PALETTE_CHANGES)
        return change_tones[class - PALETTE_CHANGES];
    if (class >= PALETTE_WAIT_0)
        return waits[class - PALETTE_WAIT_0].tone;
    if (class == PALETTE_KERNEL && palette->colors != FLAME_BY_KIND)
        return kernel_among_modules;
    if (class >= PALETTE_KERNEL)
        return kind_tones[class - PALETTE_KERNEL];
    if (palette->colors == FLAME_BY_KIND)
        return unknown_tone;
    return tones[palette->colors][class / PALETTE_SHADES][class % PALETTE_SHADES];
}

void palette_write_css(const struct palette *palette, struct svg_out *out)
{
    for (unsigned class = 0; class < PALETTE_CLASSES; class ++)
        svg_format(out, ".c%u{fill:#%06x}", class, tone_of(palette, class).light);
    svg_raw(out, "\n@media (prefers-color-scheme: dark){");
    for (unsigned class = 0; class < PALETTE_CLASSES; class ++)
        svg_format(out, ".c%u{fill:#%06x}", class, tone_of(palette, class).dark);
    svg_raw(out, "}\n");
}

void palette_fini(struct palette *palette)
{
    vec_free(&palette->modules);
}
