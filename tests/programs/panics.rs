// SPDX-License-Identifier: BSD-2-Clause
// panics [-w FIFO] CASE: as returns.dyn.c, in Rust: panics that pass functions r_* and are caught.
use std::io::Read;
use std::panic;

#[no_mangle]
#[inline(never)]
pub extern "Rust" fn r_panics(value: u32) -> u32 {
    if value % 2 == 1 {
        panic!("odd {}", value);
    }
    value
}

#[no_mangle]
#[inline(never)]
pub extern "Rust" fn r_between(value: u32) -> u32 {
    r_panics(value) + 1
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    if words.len() == 3 && words[0] == "-w" {
        let mut byte = [0u8; 1];
        let mut gate = std::fs::File::open(&words[1]).expect("the gate");
        gate.read(&mut byte).expect("the gate");
        words.drain(..2);
    }
    if words != ["caught"] {
        eprintln!("usage: panics [-w FIFO] caught");
        std::process::exit(2);
    }
    panic::set_hook(Box::new(|_| {}));
    let (mut caught, mut all) = (0, 0);
    for i in 0..10 {
        match panic::catch_unwind(|| r_between(i)) {
            Ok(n) => all += n,
            Err(_) => caught += 1,
        }
    }
    println!("caught {}, all {}", caught, all);
    println!("did r_between 5\ndid r_panics 5\nleft r_between 5\nleft r_panics 5");
}
