#!/usr/bin/env bash
# Runs beside others.
# The options of every command are one list: those that --help shows, those that the manual explains, those that the command takes.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

help_of() { # help_of COMMAND…: its --help, asked for once
    local words="$*" kept
    kept=help.${words// /.}
    [ -s "$kept" ] || "$MEMOIR" "$@" --help >"$kept"
    cat "$kept"
}

helped() { # helped COMMAND…: the options in its --help, one per line
    help_of "$@" | sed -nE 's/^  (--?[a-zA-Z][a-z0-9-]*).*/\1/p' | sort -u
}

# Nothing is started: --help is the last word, and what an option needs may be wrong, which is said otherwise.
refused() { # refused COMMAND…: the options in its --help that it does not take
    local option argument
    help_of "$@" | sed -nE 's/^  (--?[a-zA-Z][a-z0-9-]*)( [^ ])?.*/\1\2/p' | while read -r option argument; do
        "$MEMOIR" "$@" "$option" ${argument:+x} --help </dev/null 2>&1 | grep -o "no option $option"
    done
}

# What needs a word and has none is a wrong command line, said in one sentence that names it.
unsaid() { # unsaid COMMAND…: the options that need a word, and do not say so
    local option argument lines
    help_of "$@" | sed -nE 's/^  (--?[a-zA-Z][a-z0-9-]*) ([A-Z]).*/\1 \2/p' | while read -r option argument; do
        timeout 20 "$MEMOIR" "$@" "$option" </dev/null >/dev/null 2>unsaid.err
        status=$?
        lines=$(grep -c . unsaid.err)
        [ $status = 2 ] && [ "$lines" = 1 ] && grep -q -e "$option" unsaid.err || echo "$option ($status, $lines lines)"
    done
}

manual_of() {
    printf '%s/docs/manual/%s.md' "$TOP" "$1"
}

explained() { # explained MANUAL: the options in the first column of its tables, those of other programs left out
    sed -nE 's/^\| (`-[^|]*).*/\1/p' "$1" | grep -oE '`--?[a-zA-Z][a-z0-9-]*' | tr -d '`' | sort -u
}

named() { # named MANUAL: all options that it has a word about
    grep -oE -- '(^|[^a-zA-Z0-9-])--?[a-zA-Z][a-z0-9-]*' "$1" | grep -oE -- '--?[a-zA-Z][a-z0-9-]*$' | sort -u
}

used() { # used COMMAND: the options in lines of any document and help that run it
    grep -E "^ +(sudo )?memoir $1 " examples | sed -E 's/ -- .*//; s/   .*//; s/[|;&#].*//' | sed -E "s/^ +(sudo )?memoir $1//; s/'[^']*'//g" |
        grep -oE -- ' --?[a-zA-Z][a-z0-9-]*' | tr -d ' ' | sort -u
}

words_of() { # words_of COMMAND: itself, and the commands below it
    echo "$1"
    case $1 in
        net) printf 'net %s\n' up down status host load ;;
        map) echo map diff ;;
    esac
}

commands=$("$MEMOIR" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -vx memoir)
{
    cat "$TOP"/README.md "$TOP"/docs/*.md "$TOP"/docs/manual/*.md
    for command in $commands; do help_of "$command"; done
} | grep -E "^ +(sudo )?memoir " >examples
for command in $commands; do
    manual=$(manual_of "$command")
    words_of "$command" | while read -r words; do
        # shellcheck disable=SC2086
        helped $words
    done | sort -u >"$command.helped"
    named "$manual" >"$command.named"
    explained "$manual" >"$command.explained"
    equal "$command-manual-has-all" "" "$(comm -23 "$command.helped" "$command.named" | tr '\n' ' ')"
    equal "$command-manual-has-no-other" "" "$(comm -13 "$command.helped" "$command.explained" | tr '\n' ' ')"
    [ "$command" != net ] || helped watch >>net.helped # which take what follows --watch
    sort -u -o "$command.helped" "$command.helped"
    used "$command" >"$command.used"
    equal "$command-examples-are-taken" "" "$(comm -13 "$command.helped" "$command.used" | grep -vx -e --help | tr '\n' ' ')"
    # shellcheck disable=SC2086
    equal "$command-takes-what-it-offers" "" "$(words_of "$command" | while read -r words; do refused $words; done)"
    # shellcheck disable=SC2086
    equal "$command-says-what-it-needs" "" "$(words_of "$command" | while read -r words; do unsaid $words; done | tr '\n' ' ')"
done

# The tables in the sources have what is offered, and nothing else.
# Not those that are given to other programs of ours, (char[]){"--scale"}.
grep -rhoE '(^|[^)])\{"--?[a-zA-Z][a-z0-9-]*"|name = "--[a-z-]*"' "$TOP/src/cli" | grep -oE -e '--?[a-zA-Z][a-z0-9-]*' | sort -u >coded
for command in $commands; do
    words_of "$command" | while read -r words; do
        # shellcheck disable=SC2086
        helped $words
    done
done | sort -u >offered
at_least code-has-options 100 "$(wc -l <coded)"
equal code-is-offered "" "$(comm -23 coded offered | tr '\n' ' ')"
equal offered-is-code "" "$(comm -13 coded offered | tr '\n' ' ')"

# Words that an option offers in its help are words that it takes.
"$MEMOIR" run --quiet -o a.memoir -- "$subjects/subject-leaks_100_blocks" >/dev/null
for command in "report a.memoir" "diff a.memoir a.memoir" "graph a.memoir -o x.svg" "top a.memoir"; do
    # shellcheck disable=SC2086
    offer=$(help_of ${command%% *} | sed -nE 's/^  --by WHAT *//p')
    grep -oE 'stack|function|module|thread|line|phase' <<<"$offer" | sort -u >offered
    while read -r word; do
        # shellcheck disable=SC2086
        "$MEMOIR" $command --by "$word" >out 2>said
        equal "${command%% *}-by-$word" 0 $?
    done <offered
done
