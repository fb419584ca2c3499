# shellcheck shell=bash
# Words for tests of memoir net; source after common.bash.  Whatever a test leaves up is taken down when it ends.
nets=()
take_all_down() {
    local dir
    for dir in "${nets[@]}"; do "$MEMOIR" net down "$dir" >/dev/null 2>&1; done
    true
}
trap take_all_down EXIT

# Starts a network; what it said is in DIR.out and DIR.err.
up() { # up DIR TEMPLATE OPTIONS…
    local dir=$1 template=$2
    shift 2
    nets+=("$dir")
    "$MEMOIR" net up "$template" -o "$dir" "$@" >"$dir.out" 2>"$dir.err"
    status=$?
}

part() { # part DIR NAME KEY: as net.json has it
    jq -r --arg name "$2" ".parts[] | select(.name == \$name) | .$3" "$1/net.json"
}

pids_of() { # pids_of DIR: all that it ever wrote down, and its keeper
    jq -r '.keeper, .parts[].pid | select(. != null and . != 0)' "$1/net.json"
}

ports_of() { # ports_of DIR
    jq -r '.parts[].ports // {} | .[]' "$1/net.json"
}

# No process and no listening port of the network is left, by ps and ss.
nothing_left() { # nothing_left CASE DIR PIDS
    local pid port left=
    for pid in $3; do is_gone "$pid" || left+=" process $pid ($(tr '\0' ' ' <"/proc/$pid/cmdline"))"; done
    for port in $(ports_of "$2"); do
        [ -z "$(ss -Hltn "sport = :$port")" ] || left+=" port $port"
    done
    for pid in $(grep -la "MEMOIR_NET=$(jq -r .id "$2/net.json")" /proc/[0-9]*/environ 2>/dev/null); do
        left+=" $pid carries its mark"
    done
    equal "$1" "" "$left"
}
