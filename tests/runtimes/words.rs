// SPDX-License-Identifier: Apache-2.0
// Words in maps, in threads, with a panic on the way.  Counts what it asks of its allocator: the system's, or jemalloc's
// under a prefix, as most Rust programs have it, with --cfg jemalloc.
use std::alloc::{GlobalAlloc, Layout};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static CALLS: AtomicUsize = AtomicUsize::new(0);
static FREES: AtomicUsize = AtomicUsize::new(0);

#[cfg(not(jemalloc))]
mod inner {
    pub use std::alloc::System as Inner;
    pub fn given_out() -> usize {
        0
    }
}

#[cfg(jemalloc)]
mod inner {
    use std::alloc::{GlobalAlloc, Layout};
    extern "C" {
        fn _rjem_mallocx(size: usize, flags: i32) -> *mut u8;
        fn _rjem_rallocx(block: *mut u8, size: usize, flags: i32) -> *mut u8;
        fn _rjem_sdallocx(block: *mut u8, size: usize, flags: i32);
        fn _rjem_mallctl(name: *const u8, old: *mut usize, size: *mut usize, new: *const u64, new_size: usize) -> i32;
    }
    pub struct Inner;
    fn flags(layout: &Layout) -> i32 {
        layout.align().trailing_zeros() as i32
    }
    unsafe impl GlobalAlloc for Inner {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            _rjem_mallocx(layout.size(), flags(&layout))
        }
        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            _rjem_sdallocx(block, layout.size(), flags(&layout))
        }
        unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            _rjem_rallocx(block, size, flags(&layout))
        }
    }
    pub fn given_out() -> usize {
        let (mut value, mut size, epoch) = (0usize, 8usize, 1u64);
        unsafe {
            _rjem_mallctl(b"epoch\0".as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), &epoch, 8);
            _rjem_mallctl(b"stats.allocated\0".as_ptr(), &mut value, &mut size, std::ptr::null(), 0);
        }
        value
    }
}

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Relaxed);
        inner::Inner.alloc(layout)
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        FREES.fetch_add(1, Relaxed);
        inner::Inner.dealloc(block, layout)
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Relaxed);
        FREES.fetch_add(1, Relaxed);
        inner::Inner.realloc(block, layout, size)
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[inline(never)]
fn build(words: usize) -> HashMap<String, Vec<usize>> {
    let mut made: HashMap<String, Vec<usize>> = HashMap::new();
    for i in 0..words {
        made.entry(format!("word {}", i % 1000)).or_default().push(i);
    }
    made
}

fn main() {
    let threads: Vec<_> = (0..3).map(|k| std::thread::spawn(move || build(20000 + k).len())).collect();
    let sum: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    let kept = build(500000);
    let caught = std::panic::catch_unwind(|| panic!("on purpose")).is_err();
    println!("{} words, {} kept, caught {}", sum, kept.len(), caught);
    eprintln!("counted {} {}\ngiven {}", CALLS.load(Relaxed), FREES.load(Relaxed), inner::given_out());
    std::mem::forget(kept);
    std::process::exit(5);
}
