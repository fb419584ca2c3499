# shellcheck shell=bash disable=SC2034,SC2154
# Words for tests of memoir serve.
started=()
trap 'for pid in "${started[@]}"; do kill -9 "$pid"; done 2>/dev/null' EXIT

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
