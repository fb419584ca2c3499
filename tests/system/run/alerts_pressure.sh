#!/usr/bin/env bash
# An alert about memory pressure: the kernel tells, while a program really waits for memory in a cgroup that is too small.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

cases="pressure-told pressure-status pressure-pinned pressure-run pressure-once pressure-calm pressure-for pressure-refused pressure-refused-goes-on"
skip_all() {
    for name in $cases; do skip "$name" "$1"; done
    exit 0
}

# Pressure is counted by the hierarchy of version 2; the memory controller is there or in version 1.
two=/sys/fs/cgroup
[ -e $two/cgroup.controllers ] || two=/sys/fs/cgroup/unified
[ -e $two/cgroup.procs ] || skip_all "no cgroups of version 2 here"
[ -e /proc/pressure/memory ] || skip_all "this kernel keeps no pressure"
own=memoir-test-$$
mkdir $two/$own 2>/dev/null || skip_all "may not make a cgroup"
one=$two
limit=memory.max
if [ ! -e $two/$own/memory.max ]; then
    one=/sys/fs/cgroup/memory
    limit=memory.limit_in_bytes
    mkdir $one/$own 2>/dev/null
fi
readers=()
leave() {
    leave_house
    for pid in "${readers[@]}"; do kill "$pid" 2>/dev/null; done
    wait 2>/dev/null
    for _ in $(seq 50); do
        rmdir $two/$own $one/$own 2>/dev/null
        [ -e $two/$own ] || [ -e $one/$own ] || break
        sleep 0.1
    done
}
trap leave EXIT
[ -e $two/$own/memory.pressure ] || skip_all "cgroups have no pressure of their own here"
echo $((48 * 1024 * 1024)) 2>/dev/null >$one/$own/$limit || skip_all "may not limit memory"

head -c 160M /dev/zero >pages
sync pages
dd if=pages iflag=nocache count=0 status=none # in nobody's page cache, so each page is charged to who reads it

# reads [PLACE]: a program that reads pages in the small cgroup (or, calm, only in that of version 2); its number in $reader.
reads() {
    (
        echo 0 >$two/$own/cgroup.procs
        [ "$1" = calm ] || echo 0 >$one/$own/cgroup.procs
        exec "$subjects/subject-waits_for_pages" "$2" 60
    ) &
    reader=$!
    readers+=("$reader")
    for _ in $(seq 50); do
        grep -q "/$2\$" "/proc/$reader/maps" && break # it runs, and has mapped the file
        sleep 0.1
    done
}

# Nothing waits: what the kernel may tell of a window too many is not believed.
head -c 1M pages >few
reads calm few
calm=$reader
"$MEMOIR" attach -o calm.memoir --for 6s --alert 'psi>1%' "$calm" 2>calm.err
equal pressure-calm "0 " "$? $(grep alert calm.err)"
kill "$calm"

reads small pages
waiting=$reader
cat >tell.sh <<'END'
#!/bin/sh
echo "$1 $2" >>told
END
chmod +x tell.sh
"$MEMOIR" attach -o waits.memoir --for 9s --alert 'psi>1%' --alert 'psi>1% for 1h' --alert-exec ./tell.sh "$waiting" 2>waits.err
equal pressure-status 3 $?
# By the kernel's word, or by its average where that comes first.
equal pressure-told 1 "$(grep -Ec 'alert psi>1%: tasks waited for memory (at least )?[0-9.]+ % of the last (1|2|10) s' waits.err)"
equal pressure-once 1 "$(grep -c 'alert psi>1%: ' waits.err)"
equal pressure-for 0 "$(grep -c 'alert psi>1% for 1h: ' waits.err)"
equal pressure-run "psi>1%" "$(cut -d ' ' -f 1 told 2>/dev/null)"
equal pressure-pinned "alert psi>1%" "$("$MEMOIR" info waits.memoir --json | jq -r '[.. | .label? // empty | select(startswith("alert"))] | unique | join(",")')"

# Who may not ask the kernel is told so, and the average is looked at instead.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    open_house grows
    (
        echo 0 >$two/$own/cgroup.procs
        as_nobody "$house/memoir" run -o others.memoir --alert 'psi>1%' -- "$house/subject-grows" 2 8 2>others.err
    )
    equal pressure-refused 1 "$(grep -c 'may not set a pressure trigger .*memory.pressure: Permission denied.*once a second' others.err)"
    equal pressure-refused-goes-on 1 "$("$MEMOIR" report "$house/own/others.memoir" --json | jq '.total.value > 0 | if . then 1 else 0 end')"
else
    skip pressure-refused "only root can become somebody else"
    skip pressure-refused-goes-on "only root can become somebody else"
fi
:
