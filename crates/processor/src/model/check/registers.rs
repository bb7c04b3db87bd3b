//! Registers: none in two classes, arguments that exist; how C calls functions.

use program::Diagnostic;

use super::{unsourced, Files, Processor};
use crate::isa::Abi;

pub fn check(processor: &Processor, files: &Files<'_>, found: &mut Vec<Diagnostic>) {
    let (source, file) = &files.isa;
    let classes = &processor.isa.registers;
    for (n, class) in classes.iter().enumerate() {
        let span = file.registers[&class.name].span();
        let mut say = |message: String| found.push(source.error("M033", message, &span));
        for name in &class.usable {
            if let Some(other) = classes[..n].iter().find(|o| o.usable.contains(name)) {
                say(format!("the register `{name}` is of `{}` and of `{}`", other.name, class.name));
            }
        }
        if let Some(zero) = class.zero.as_ref().filter(|z| class.usable.contains(z)) {
            say(format!("the register `{zero}` of `{}` is always 0, but listed as usable", class.name));
        }
        if let Some(saved) = class.saved.iter().find(|s| !class.usable.contains(s) && !class.rotating.contains(s)) {
            say(format!("the register `{saved}` is to be saved, but `{}` does not use it", class.name));
        }
        if class.usable.is_empty() {
            say(format!("the register class `{}` has no usable register", class.name));
        }
        found.extend(unsourced(source, &format!("the register class `{}`", class.name), &class.fact, &span));
    }
    if let Some(abi) = &file.abi {
        calling(processor, abi.get_ref(), &mut |message| found.push(source.error("M033", message, &abi.span())));
    }
    for name in &processor.isa.arguments {
        if !classes.iter().any(|c| c.usable.contains(name)) {
            let message = format!("the argument register `{name}` is in no register class");
            found.push(source.error("M033", message, &(0..0)));
        }
    }
}

fn calling(processor: &Processor, abi: &Abi, say: &mut dyn FnMut(String)) {
    let usable = |name: &String| processor.isa.registers.iter().any(|c| c.usable.contains(name));
    if usable(&abi.stack) {
        say(format!("the stack pointer `{}` is a register that kernels use", abi.stack));
    }
    if let Some(name) = abi.arguments.iter().find(|name| !usable(name)) {
        say(format!("the argument register `{name}` is in no register class"));
    }
    if !abi.alignment.is_power_of_two() || abi.most == 0 || abi.most % abi.alignment != 0 {
        say(format!(
            "frames grow by at most {} bytes, which is no multiple of the alignment {}, a power of two",
            abi.most, abi.alignment
        ));
    }
}
