# shellcheck shell=bash disable=SC2034,SC2154
# Words for tests of memoir serve.
started=()
trap 'for pid in "${started[@]}"; do kill -9 "$pid"; done 2>/dev/null; leave_house' EXIT

# Ends the test as skipped where there is no server.
need_server() { # need_server CASE
    [ -x "$BUILD/memoir-serve" ] && return
    skip "$1" "memoir-serve was not built: libmicrohttpd-dev is missing"
    exit 0
}

# Starts a server; $server is its pid, $port where it listens, NAME.err what it says.
begin_server() { # begin_server NAME OPTIONS…
    local name=$1
    shift
    "$MEMOIR" serve "$@" 2>"$name.err" </dev/null 9>&- &
    server=$!
    started+=("$server")
    wait_until 30 has_line "$name.err" 'serving http://' || not_ok "$name-begins" "$(cat "$name.err")"
    port=$(sed -n 's|.*serving http://.*:\([0-9]*\)/$|\1|p' "$name.err")
}

end_server() { # end_server CASE: it ends in order when asked to
    kill "$server"
    wait "$server"
    equal "$1" 0 $?
}

# Records the subject that grows; $subject is its pid, descriptor 9 makes it grow.
begin_subject() { # begin_subject NAME OPTIONS…
    local name=$1 recorder
    shift
    mkfifo "$name.in"
    "$MEMOIR" run -o "$name.memoir" "$@" -- "$subjects/subject-grows_on_demand" <"$name.in" >"$name.out" 2>"$name.err" &
    recorder=$!
    started+=("$recorder")
    exec 9>"$name.in"
    wait_until 30 has_line "$name.out" ready || not_ok "$name-begins" "$(cat "$name.err")"
    for subject in $(descendants "$recorder"); do
        case $(readlink "/proc/$subject/exe") in */subject-grows_on_demand) break ;; esac
    done
    started+=("$subject")
}

grow_to() { # grow_to NAME COUNT
    echo >&9
    wait_until 30 has_line "$1.out" "^$2$" || not_ok "$1-grows" "it did not come to $2"
}

get() { # get PATH CURL-OPTIONS…
    local path=$1
    shift
    curl -s --max-time 20 "$@" "http://127.0.0.1:$port$path"
}

status_of() { # status_of PATH CURL-OPTIONS…: only the number
    local path=$1
    shift
    get "$path" -o body -w '%{http_code}' "$@"
}

metric() { # metric SERIES: its value
    get /metrics | awk -v name="$1" '$1 == name { print $2 }'
}

metric_is() { # metric_is SERIES VALUE
    [ "$(metric "$1")" = "$2" ]
}

# A run of three nodes in two roles; beta came later and missed a snapshot.  Profiles are those of phases.memoir.
make_small_run() { # make_small_run FOLDER
    local stamps=(20260528_000000 20260528_001000 20260528_002000 20260528_003000) i
    mkdir "$1"
    for i in 0 1 2 3; do
        "$MEMOIR" export phases.memoir --to pprof --at $((40 + i * 20))% -o "$1/a:1.${stamps[i]}.heap" 2>/dev/null
        echo "${stamps[i]},2026-05-28 00:${i}0:00,$((40000 + i * 1000)),900000" >>"$1/a:1.heap.csv"
        echo "${stamps[i]},2026-05-28 00:${i}0:00,$((30000 - i * 500)),900000" >>"$1/c:1.heap.csv"
        echo "{\"block\":{\"rnd\":$((70 + i)),\"ts\":1}}" >"$1/a:1.${stamps[i]}.blockinfo.json"
        [ $i = 2 ] || [ $i = 0 ] && continue
        cp "$1/a:1.${stamps[i]}.heap" "$1/b:1.${stamps[i]}.heap"
        echo "${stamps[i]},2026-05-28 00:${i}0:00,$((50000 + i * 100)),900000" >>"$1/b:1.heap.csv"
    done
    echo '{"block":{"rnd":71,"ts":1}}' >"$1/b:1.${stamps[3]}.blockinfo.json"
    echo '{"nodes":[{"nick":"a:1","name":"alpha","role":"relay","class":"algod"},{"nick":"b:1","name":"beta","role":"node","class":"algod"},' \
        '{"nick":"c:1","name":"gamma","role":"node","class":"algod"}]}' >"$1/manifest.json"
}

# Five days of a service that is started twice: a total, a category, a call site that grows.
make_history() { # make_history DB
    local day begin=1779926400000
    for day in 0 1 2 3 4; do
        printf '%s\n' 'service ledger' 'host test' 'program /usr/bin/ledger' 'source memoir run' "pid $((day < 2 ? 100 : 200))" \
            "begin_ms $((day < 2 ? begin : begin + 2 * 86400000))" "time_ms $((begin + day * 86400000))" 'limit_bytes 0' "value 1 $((100000000 + day * 7000000)) rss" \
            "value 2 $((60000000 + day * 1000)) anon" "value 3 $((1000000 + day * 6000000)) leak_here" | "$BUILD/memoir-history" add-snapshot "$1"
    done
}
