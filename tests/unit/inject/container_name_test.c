/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/container_name.h"

#include "check.h"

#define ID "4f5e6d7c8b9a0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796"

TEST(every_manager_writes_it_another_way)
{
    static const char *const lines[] = {
        "0::/system.slice/docker-" ID ".scope\n",
        "12:memory:/docker/" ID "\n",
        "0::/machine.slice/libpod-" ID ".scope/container\n",
        "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/"
        "cri-containerd-" ID ".scope\n",
        "5:pids:/kubepods/besteffort/podfe/" ID,
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        CHECK(cgroup_line_names(lines[i], ID));
        CHECK(cgroup_line_names(lines[i], "4f5e6d7c8b9a"));
        CHECK(!cgroup_line_names(lines[i], "4f5e6d7c8b9b") && !cgroup_line_names(lines[i], "4f5"));
        CHECK(!cgroup_line_names(lines[i], "e6d7c8b9a0f1"));
    }
}

TEST(names_are_whole)
{
    CHECK(cgroup_line_names("0::/a.slice/web.service\n", "/a.slice/web.service"));
    CHECK(cgroup_line_names("0::/a.slice/web.service/x\n", "/a.slice/web.service/"));
    CHECK(cgroup_line_names("0::/a.slice/web.service", "/sys/fs/cgroup/a.slice"));
    CHECK(cgroup_line_names("0::/web\n", "/sys/fs/cgroup/unified/web"));
    CHECK(cgroup_line_names("4:cpu,memory:/web\n", "/sys/fs/cgroup/memory/web"));
    CHECK(!cgroup_line_names("4:cpu,memory:/web\n", "/sys/fs/cgroup/pids/web"));
    CHECK(!cgroup_line_names("4:cpu,memory:/web2\n", "/web"));
    CHECK(!cgroup_line_names("0::/a.slice/web.service", "a.slice/web.service"));
    CHECK(!cgroup_line_names("0:", "/") && !cgroup_line_names("", "/"));
    CHECK(cgroup_line_names("0::/lxc.payload.web/init.scope\n", "web"));
    CHECK(cgroup_line_names("4:cpu:/lxc/web", "web") &&
          !cgroup_line_names("4:cpu:/lxc/web2", "web"));
    CHECK(cgroup_line_names("0::/machine.slice/machine-my\\x2dweb.scope\n", "my-web"));
    CHECK(cgroup_line_names("0::/machine.slice/systemd-nspawn@web.service/payload", "web"));
    CHECK(cgroup_line_names("0::/system.slice/redis-server.service\n", "redis-server"));
    CHECK(!cgroup_line_names("0::/\n", "web") && !cgroup_line_names("web", "web") &&
          !cgroup_line_names("", "web"));
    CHECK(!cgroup_line_names("web:web:/", "web"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_manager_writes_it_another_way),
                                       cmocka_unit_test(names_are_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
