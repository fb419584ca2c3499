# shellcheck shell=bash
# jemalloc with its functions under another prefix, as Rust's crates build it, beside libc's malloc.
# Sourced after common.bash; leaves libprefixed.a in this folder.
prefix_jemalloc() {
    local archive name
    archive=$(gcc -print-file-name=libjemalloc_pic.a)
    [ -e "$archive" ] || return 1
    for name in malloc calloc realloc free posix_memalign aligned_alloc memalign valloc malloc_usable_size mallocx \
        rallocx xallocx sallocx dallocx sdallocx nallocx mallctl mallctlbymib mallctlnametomib malloc_stats_print; do
        echo "$name _rjem_$name"
    done >names
    objcopy --redefine-syms=names "$archive" libprefixed.a
}

link_prefixed() { # words for the linker
    printf '%s ' -L. -Wl,-Bstatic -lprefixed -Wl,-Bdynamic -lstdc++ -lm -lpthread -ldl
}
