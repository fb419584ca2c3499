/* SPDX-License-Identifier: Apache-2.0 */
#include "loaded_module.h"

#include <link.h>
#include <stdio.h>
#include <unistd.h>

struct finding {
    uint64_t address;
    struct loaded_module *module;
    bool found;
};

static bool holds(const struct dl_phdr_info *info, const ElfW(Phdr) * segment, uint64_t address)
{
    uint64_t low = info->dlpi_addr + segment->p_vaddr;
    return segment->p_type == PT_LOAD && address >= low && address < low + segment->p_memsz;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    struct finding *finding = context;
    const ElfW(Phdr) *tables = NULL;
    bool here = false;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        here |= holds(info, &info->dlpi_phdr[i], finding->address);
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            tables = &info->dlpi_phdr[i];
    }
    if (!here || !tables)
        return 0;
    uint64_t header = info->dlpi_addr + tables->p_vaddr;
    struct loaded_module *module = finding->module;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (holds(info, segment, header)) {
            uint64_t low = info->dlpi_addr + segment->p_vaddr;
            module->view = (struct eh_view){(const uint8_t *)header, (const uint8_t *)low,
                                            (const uint8_t *)(low + segment->p_memsz), .slide = 0};
            finding->found = true;
        }
    }
    module->bias = info->dlpi_addr;
    snprintf(module->path, sizeof(module->path), "%s",
             info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
    if (!info->dlpi_name[0]) { /* readelf's own would be meant */
        ssize_t length = readlink("/proc/self/exe", module->path, sizeof(module->path) - 1);
        module->path[length > 0 ? length : 0] = '\0';
    }
    return 1;
}

bool loaded_module_find(const void *address, struct loaded_module *module)
{
    struct finding finding = {(uint64_t)address, module, false};
    dl_iterate_phdr(look_at, &finding);
    return finding.found;
}
