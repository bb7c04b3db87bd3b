//! Runs passes on a program's text: `passes NAME… < program.txt`.

use std::io::{Read, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut program = program::parse(&text).map_err(|e| e.message)?;
    let names: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    program::passes::run_all(&mut program, &names, &[]).map_err(|e| e.message)?;
    program::verify(&program).map_err(|e| format!("{} {:?}", e.message, e.notes))?;
    std::io::stdout().write_all(program.to_string().as_bytes())?;
    Ok(())
}
