// SPDX-License-Identifier: Apache-2.0
// A Rust program whose global allocator is jemalloc, called as the crates do; it counts what passes through.
use std::alloc::{GlobalAlloc, Layout};
use std::collections::HashMap;
use std::os::raw::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

extern "C" {
    fn _rjem_malloc(size: usize) -> *mut c_void;
    fn _rjem_calloc(count: usize, size: usize) -> *mut c_void;
    fn _rjem_mallocx(size: usize, flags: c_int) -> *mut c_void;
    fn _rjem_rallocx(block: *mut c_void, size: usize, flags: c_int) -> *mut c_void;
    fn _rjem_sdallocx(block: *mut c_void, size: usize, flags: c_int);
    fn malloc(size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

struct Counting;
static CALLS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);
static FREES: AtomicUsize = AtomicUsize::new(0);

fn flags(layout: &Layout) -> c_int {
    if layout.align() <= 16 && layout.align() <= layout.size() { 0 } else { layout.align().trailing_zeros() as c_int }
}

fn made(size: usize) {
    CALLS.fetch_add(1, Relaxed);
    BYTES.fetch_add(size, Relaxed);
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        made(layout.size());
        match flags(&layout) {
            0 => _rjem_malloc(layout.size()) as *mut u8,
            flags => _rjem_mallocx(layout.size(), flags) as *mut u8,
        }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        made(layout.size());
        match flags(&layout) {
            0 => _rjem_calloc(1, layout.size()) as *mut u8,
            flags => _rjem_mallocx(layout.size(), flags | 0x40) as *mut u8,
        }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        FREES.fetch_add(1, Relaxed);
        _rjem_sdallocx(block as *mut c_void, layout.size(), flags(&layout))
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        made(size);
        FREES.fetch_add(1, Relaxed);
        _rjem_rallocx(block as *mut c_void, size, flags(&layout)) as *mut u8
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

fn fill() -> usize {
    let mut map = HashMap::new();
    for i in 0..3000u64 {
        map.insert(i, vec![i; (i % 70) as usize]);
        if i % 3 == 0 {
            map.remove(&(i / 2));
        }
    }
    let zeros = vec![0u8; 100_000];
    let words: Vec<String> = (0..2000).map(|i| format!("word number {}", i)).collect();
    map.len() + zeros.len() + words.join(" ").len()
}

fn main() {
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(fill)).collect();
    let mut sum = 0;
    for thread in threads {
        sum += thread.join().unwrap();
    }
    std::mem::forget(vec![1u8; 12345]);
    unsafe {
        for _ in 0..1000 {
            let block = malloc(777); // libc's, in the same program
            std::ptr::write_volatile(block as *mut u8, 1);
            free(block);
        }
    }
    println!("sum {}", sum);
    println!("calls {}\nbytes {}\nfrees {}", CALLS.load(Relaxed), BYTES.load(Relaxed), FREES.load(Relaxed));
}
