# shellcheck shell=bash disable=SC2034
# A machine with too much to do and too little memory: three busy loops, and whatever records is at nice 19 and in a cgroup of 256 MiB,
# with the program that it starts, where one can be made; $unlimited says why there is none.  Sourced with $MEMOIR set; from
# begin_pressure on, $MEMOIR is a program that does so.
pressure_loops=()
pressure_folder=
unlimited=

# The cgroup, of either version, or why not.
limit_memory() { # limit_memory BYTES
    local limit=memory.max folder=/sys/fs/cgroup
    if [ -d /sys/fs/cgroup/memory ]; then
        folder=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
    fi
    pressure_folder=$folder/memoir-pressure-$$
    if ! mkdir "$pressure_folder" 2>/dev/null; then
        pressure_folder=
        unlimited="may not make a cgroup"
    elif ! (echo "$1" >"$pressure_folder/$limit" && echo "$BASHPID" >"$pressure_folder/cgroup.procs") 2>/dev/null; then
        rmdir "$pressure_folder"
        pressure_folder=
        unlimited="memory cannot be limited here"
    fi
}

# Reading what was recorded needs no pressure.
write_pressed() { # write_pressed FILE
    cat >"$1" <<END
#!/bin/sh
case \$1 in
    run | attach | cpu | pages)
        [ -z "$pressure_folder" ] || echo \$\$ >"$pressure_folder/cgroup.procs"
        exec nice -n 19 "$MEMOIR" "\$@"
        ;;
esac
exec "$MEMOIR" "\$@"
END
    chmod +x "$1"
}

begin_pressure() { # begin_pressure FOLDER: for the program
    while [ ${#pressure_loops[@]} -lt 3 ]; do
        (while :; do :; done) &
        pressure_loops+=($!)
    done
    limit_memory $((256 << 20))
    write_pressed "$1/pressed-memoir"
    MEMOIR=$1/pressed-memoir
    export MEMOIR
}

# How many processes the kernel ended there for want of memory.
killed_for_memory() {
    sed -n 's/^oom_kill //p' "$pressure_folder/memory.oom_control" "$pressure_folder/memory.events" 2>/dev/null | head -n 1
}

end_pressure() {
    local loop
    for loop in "${pressure_loops[@]}"; do kill "$loop" && wait "$loop" 2>/dev/null; done
    pressure_loops=()
    [ -n "$pressure_folder" ] || return 0
    for _ in $(seq 100); do # what has ended may not have left yet
        rmdir "$pressure_folder" 2>/dev/null && break
        sleep 0.05
    done
    pressure_folder=
}
