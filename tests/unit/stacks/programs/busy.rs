// busy.rs - threads that sort, format, and take locks.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

fn dig(depth: u32) -> Vec<u64> {
    if depth == 0 {
        return vec![1; 100];
    }
    let mut deeper = dig(depth - 1);
    deeper.push(depth as u64);
    deeper
}

fn main() {
    let words: Arc<Mutex<HashMap<String, u64>>> = Arc::new(Mutex::new(HashMap::new()));
    for seed in 0..3u64 {
        let words = words.clone();
        std::thread::spawn(move || loop {
            let mut numbers: Vec<u64> = (0..5000).map(|i| i * 2654435761 % (seed + 4099)).collect();
            numbers.sort_by(|a, b| b.cmp(a));
            let text = format!("{:?}", &numbers[..20]);
            let mut known = words.lock().unwrap();
            *known.entry(text).or_insert(0) += dig(30).len() as u64;
            if known.len() > 1000 {
                known.clear();
            }
        });
    }
    loop {
        // Debian's rustc has no black_box yet.
        unsafe { std::ptr::read_volatile(dig(50).as_ptr()) };
    }
}
