#!/usr/bin/env bash
# Programs drawn from seeds: the generator with options that chance chose, each of them compared with its own books: calls, bytes,
# frees, live, peak, temporary, by call path, and the sums.  The first seed that fails is shrunk: the fewest
# options and operations that still fail are told.
#
# generated.sh [COUNT [FIRST]]: so many seeds from FIRST on; 50 from 1 on unless told.  With LOADED=1 every fourth of them is recorded
# at nice 19 with three busy loops beside it.  `./dev prove generated COUNT` does that.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/books.bash"

count=${1:-50}
first=${2:-1}
loops=()
nicely=()

end_load() {
    local loop
    for loop in "${loops[@]}"; do kill "$loop" && wait "$loop" 2>/dev/null; done
    loops=() nicely=()
}
trap end_load EXIT

begin_load() {
    while [ ${#loops[@]} -lt 3 ]; do
        (while :; do :; done) &
        loops+=($!)
    done
    nicely=(nice -n 19)
}

one_of() { # one_of WORD…: in $drawn
    local words=("$@")
    drawn=${words[RANDOM % $#]}
}

perhaps() { # perhaps ONE_IN OPTION…: adds each of them or not
    local one_in=$1 option
    shift
    for option; do
        [ $((RANDOM % one_in)) != 0 ] || options+=("$option")
    done
}

# One element of $options is an option with its value.
draw() { # draw SEED
    RANDOM=$1
    options=()
    one_of 500 2000 5000 20000
    operations=$drawn
    one_of small small wide wide pages powers
    [ "$drawn" = small ] || options+=("--sizes $drawn")
    one_of 1 2 8 64
    options+=("--paths $drawn")
    perhaps 3 --aligned --chains --queue --kill --coroutines --longjmp
    perhaps 6 --deep "--pace 50"
    if [ $((RANDOM % 5)) -lt 2 ]; then
        options+=(--sharp)
        return
    fi
    one_of 1 2 3 6
    options+=("--threads $drawn")
    perhaps 3 --signals --dlopen
    perhaps 4 "--fork --children 4" "--churn --churn-threads 48"
}

# One recording equals its books.  Otherwise $case.why has what differs.
agrees() { # agrees SEED OPERATIONS OPTION…
    local name=$case words expected=0
    # shellcheck disable=SC2206 # options with their values are words
    words=(--seed $1 --ops $2 ${*:3})
    case " ${words[*]} " in *" --kill "*) expected=137 ;; esac
    rm -f "$name".*
    "${nicely[@]}" "$MEMOIR" run -o "$name.memoir" -- "$generator" --books "$name.books" "${words[@]}" \
        >"$name.memoir.out" 2>"$name.memoir.err"
    status=$?
    {
        equal status $expected $status
        compare_books "$name"
    } >"$name.cases"
    ! grep -A 24 '^not ok' "$name.cases" >"$name.why"
}

# Leaves the fewest options and operations that still fail in $options and $operations.
shrink() { # shrink SEED
    local at fewer
    for at in "${!options[@]}"; do
        fewer=("${options[@]}")
        unset "fewer[$at]"
        agrees "$1" "$operations" "${fewer[@]}" || unset "options[$at]"
    done
    while [ "$operations" -gt 8 ] && ! agrees "$1" $((operations / 2)) "${options[@]}"; do
        operations=$((operations / 2))
    done
}

try_seed() { # try_seed SEED
    local all
    draw "$1"
    all="--seed $1 --ops $operations ${options[*]}"
    if agrees "$1" "$operations" "${options[@]}"; then
        ok "$case"
        return
    fi
    cp "$case.why" why
    if [ $shrunk = 1 ]; then # it takes a while, and one fault mostly has many seeds
        not_ok "$case" "the recording is not what the books of subject-generator $all say"
    else
        shrink "$1"
        shrunk=1
        not_ok "$case" "the recording is not what the books say; smallest: subject-generator --seed $1 --ops $operations ${options[*]}"
    fi
    echo "drawn: $all${nicely[*]:+, on a busy machine}"
    cat why
}

shrunk=0
for ((seed = first; seed < first + count; seed++)); do
    case=seed-$seed
    [ "${LOADED:-}" != 1 ] || [ $((seed % 4)) != 0 ] || begin_load
    try_seed $seed
    end_load
    rm -f "$case".*
done
