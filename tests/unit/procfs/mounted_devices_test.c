/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/memory/mounted_devices.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "check.h"

TEST(lines_are_devices)
{
    struct mounted_device device;
    CHECK(mounted_device_parse("22 1 254:16 / / rw,relatime shared:1 - ext4 /dev/vda rw", &device));
    CHECK(device.device == makedev(254, 16) && !device.is_served);
    CHECK(mounted_device_parse("90 22 0:45 / /m rw shared:9 master:2 - fuse.sshfs a rw", &device));
    CHECK(device.device == makedev(0, 45) && device.is_served);
    CHECK(mounted_device_parse("91 22 8:1 / /n rw - fuseblk /dev/sda1 rw", &device));
    CHECK(device.is_served);
    CHECK(!mounted_device_parse("", &device) && !mounted_device_parse("22 1 x:16 - ext4", &device));
    CHECK(!mounted_device_parse("22 1 254:16 / / rw", &device)); /* cut off */
}

TEST(what_nobody_knows_is_served)
{
    static const char text[] = "22 1 254:16 / / rw - ext4 /dev/vda rw\n"
                               "23 1 0:21 / /proc rw - proc proc rw\n"
                               "nonsense\n"
                               "24 1 8:1 / /n rw - fuseblk /dev/sda1 rw\n"
                               "25 1 0:45 / /m rw - fuse evil rw\n";
    struct mounted_devices devices;
    int ends[2];
    uint64_t const memfd = mounted_devices_memfd();
    CHECK(memfd != 0 && pipe(ends) == 0);
    CHECK(write(ends[1], text, strlen(text)) == (ssize_t)strlen(text));
    close(ends[1]);
    CHECK(mounted_devices_read_open(ends[0], memfd, &devices) == 0);
    close(ends[0]);
    CHECK(devices.items.count == 4);
    CHECK(!mounted_devices_is_served(&devices, makedev(254, 16)));
    CHECK(!mounted_devices_is_served(&devices, makedev(0, 21)));
    CHECK(!mounted_devices_is_served(&devices, memfd));
    CHECK(!mounted_devices_is_served(&devices, makedev(259, 3))); /* a disk, not mounted */
    CHECK(mounted_devices_is_served(&devices, makedev(8, 1)));
    CHECK(mounted_devices_is_served(&devices, makedev(0, 45)));
    CHECK(mounted_devices_is_served(&devices, makedev(0, 46)));
    mounted_devices_fini(&devices);
}

TEST(this_machine_has_its_root)
{
    struct mounted_devices devices;
    struct stat root;
    int const file = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && stat("/", &root) == 0);
    CHECK(mounted_devices_read_open(file, 0, &devices) == 0 && devices.items.count > 0);
    mounted_devices_fini(&devices);
    close(file);
    CHECK(mounted_devices_read_open(-1, 0, &devices) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_devices),
        cmocka_unit_test(what_nobody_knows_is_served),
        cmocka_unit_test(this_machine_has_its_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
