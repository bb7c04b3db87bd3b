//! Simulated operations per second of processor time on one core: `cargo run --release -p cipherassay-processor --example simulation_speed`.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use processor::model::load;
use processor::simulate::{Machine, Options};

type Files = Vec<(String, String)>;

fn files(folder: &str) -> Result<Files, Box<dyn Error>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../python/cipherassay").join(folder);
    let mut files = Files::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, fs::read_to_string(path)?));
        }
    }
    Ok(files)
}

/// A loop of table lookups: extract, address, load, exclusive or.
fn ia64() -> String {
    let mut text = String::new();
    text.push_str(
        "{ .mlx\n nop.m 0\n movl r9 = 1000000 ;;\n}\n{ .mii\n nop.m 0\n mov ar.lc = r9\n nop.i 0 ;;\n}\nagain:\n",
    );
    for k in 0..8 {
        let (a, b) = (14 + k, 14 + (k + 1) % 8);
        text.push_str(&format!("{{ .mmi\n xor r{a} = r{a}, r{b}\n nop.m 0\n extr.u r23 = r{b}, 8, 8 ;;\n}}\n"));
        text.push_str(&format!("{{ .mmi\n shladd r24 = r23, 2, r32 ;;\n ld4 r25 = [r24]\n zxt1 r26 = r{b} ;;\n}}\n"));
        text.push_str(&format!("{{ .mmi\n xor r{a} = r{a}, r25\n shladd r27 = r26, 2, r32\n nop.i 0 ;;\n}}\n"));
        text.push_str(&format!("{{ .mmi\n ld4 r28 = [r27] ;;\n add r{a} = r28, r{a}\n nop.i 0 ;;\n}}\n"));
    }
    text.push_str("{ .mib\n nop.m 0\n nop.i 0\n br.cloop.sptk.few again ;;\n}\n");
    text
}

fn pa_risc() -> String {
    let mut text = String::from("\tldil 200,%r25\nagain:\n");
    for k in 0..8 {
        let (a, b) = (3 + k, 3 + (k + 1) % 8);
        text.push_str(&format!("\txor %r{a},%r{b},%r{a}\n\textrw,u %r{b},23,8,%r12\n\tldw,s %r12(%r26),%r13\n"));
        text.push_str(&format!("\textrw,u %r{b},31,8,%r14\n\tldw,s %r14(%r26),%r15\n\txor %r{a},%r13,%r{a}\n"));
        text.push_str(&format!("\tadd,l %r15,%r{a},%r{a}\n\tshrpw %r{a},%r{a},7,%r{a}\n"));
    }
    text.push_str("\taddib,<> -1,%r25,again\n\tnop\n");
    text
}

/// Time that this thread has run, where Linux tells it: other programs on the machine do not count. Else time passed.
struct Clock {
    wall: Instant,
    ran: Option<u64>,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: Instant::now(), ran: ran() }
    }

    fn seconds(&self) -> f64 {
        match (self.ran, ran()) {
            (Some(before), Some(now)) if now > before => (now - before) as f64 * 1e-9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Nanoseconds that this thread has run.
fn ran() -> Option<u64> {
    fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}

fn main() -> Result<(), Box<dyn Error>> {
    let (isas, processors) = (files("isas")?, files("processors")?);
    let image: Vec<u8> = (0..1024u32).map(|n| (n * 77 % 251) as u8).collect();
    for (name, text) in [("mckinley", ia64()), ("pa8500", pa_risc())] {
        let processor = load(&isas, &processors, name, &[]).map_err(|e| e.to_string())?;
        let machine = Machine::load(&text, name, &processor)?;
        for cycles in [false, true] {
            let start = Clock::start();
            let (run, _) = machine.run(&[0x1000], 0x1000, image.clone(), Options { cycles, ..Options::default() })?;
            let seconds = start.seconds();
            let (mode, millions) = (if cycles { "cycles" } else { "functional" }, run.operations as f64 / 1e6);
            let mut out = std::io::stdout().lock();
            writeln!(
                out,
                "{name} {mode}: {:.1} million operations per second, {:.1} of them with effect ({} cycles)",
                millions / seconds,
                run.useful as f64 / 1e6 / seconds,
                run.cycles
            )?;
        }
    }
    Ok(())
}
