//! Ports, classes, latencies, settings.

use program::Diagnostic;

use super::{has_instruction, of_classes, unsourced, Files, Processor};
use crate::isa::OperandKind;
use crate::model::places::Source;
use crate::model::Class;

pub fn check(processor: &Processor, files: &Files<'_>, found: &mut Vec<Diagnostic>) {
    settings(processor, files, found);
    units(processor, files, found);
    for class in &processor.classes {
        let name = &class.name;
        let mut say = |code, message| found.push(files.class_error(name, code, message));
        if class.latency == 0 {
            say(
                "M034",
                format!("the class `{name}` has latency 0: its results would be there before they are computed"),
            );
        }
        if class.ports == 0 && !processor.infinite {
            say("M035", format!("the class `{name}` has no port: its instructions could never issue"));
        }
        if class.slots == 0 {
            say("M057", format!("the class `{name}` takes 0 issue slots"));
        }
        if !has_instruction(files, name) {
            say("M036", format!("the class `{name}` has no instruction"));
        }
        if class.fact.source.is_empty() {
            say("M032", format!("the class `{name}` has no source"));
        }
        held(processor, class, &mut say);
    }
    let entries = files.chain.iter().flat_map(|(source, file)| file.bypass.iter().map(move |e| (source, e.span())));
    for (n, (source, span)) in entries.enumerate() {
        bypass(processor, n, source, &span, found);
    }
}

/// Units that are held: where that is scheduled and simulated, and so that it does not matter which of several one is.
fn held(processor: &Processor, class: &Class, say: &mut dyn FnMut(&'static str, String)) {
    let name = &class.name;
    if class.held <= 1 {
        return;
    }
    if class.second_ports.is_empty() {
        say("M045", format!("the class `{name}` holds `second` ports for {} cycles, but has none", class.held));
    }
    if processor.out_of_order.is_some() || processor.isa.text.is_none() {
        let message =
            "holds ports, which only processors do that issue in the order of a text of one operation per line";
        say("M071", format!("the class `{name}` {message}"));
    }
    for &mask in class.second_ports.iter().filter(|m| m.count_ones() > 1) {
        // Another class that takes some of them, but neither all of a set around them nor each of them.
        let all = |other: &Class| other.masks().filter(|m| m & !mask == 0).fold(0, |a, m| a | m) == mask;
        let apart = |m: u64| m & mask == 0 || m & mask == mask;
        let other = processor.classes.iter().find(|c| !c.masks().all(apart) && !all(c));
        if let Some(other) = other {
            let message = format!("holds one of several ports of which `{}` takes a part", other.name);
            say("M072", format!("the class `{name}` {message}: which one is held would matter"));
        }
    }
}

fn bypass(
    processor: &Processor,
    n: usize,
    source: &Source<'_>,
    span: &std::ops::Range<usize>,
    found: &mut Vec<Diagnostic>,
) {
    let bypass = &processor.bypasses[n];
    let names = |classes: &[usize]| {
        let names: Vec<String> = classes.iter().map(|c| format!("`{}`", processor.classes[*c].name)).collect();
        names.join(", ")
    };
    if bypass.from.is_empty() || bypass.to.is_empty() {
        found.push(source.error("M037", "the bypass is about no class", span));
    }
    if let Some(output) = &bypass.output {
        if !of_classes(processor, &bypass.from).any(|i| i.defines.iter().any(|d| &d.name == output)) {
            let message = format!(
                "the bypass is about the output `{output}`, which no instruction of {} has",
                names(&bypass.from)
            );
            found.push(source.error("M060", message, span));
        }
    }
    if let Some(operand) = bypass.operand.as_ref().filter(|o| o.as_str() != "guard") {
        let has = |i: &crate::isa::Instruction| {
            i.uses.iter().any(|u| &u.name == operand && matches!(u.kind, OperandKind::Register(_)))
        };
        if !of_classes(processor, &bypass.to).any(has) {
            let message = format!(
                "the bypass is about the operand `{operand}`, which no instruction of {} has",
                names(&bypass.to)
            );
            found.push(source.error("M061", message, span));
        }
    }
    found.extend(unsourced(source, "the bypass", &bypass.fact, span));
}

/// Parameters: each is used and says where it comes from.
fn settings(processor: &Processor, files: &Files<'_>, found: &mut Vec<Diagnostic>) {
    for parameter in &processor.parameters {
        let name = &parameter.name;
        let layer = files.chain.iter().rev().find_map(|(source, file)| Some((source, file.parameters.get(name)?)));
        let Some((source, entry)) = layer else { continue };
        let reference = format!("${name}");
        let used = files.chain.iter().any(|(s, file)| s.text.contains(&reference) || file.features.contains_key(name));
        if !used {
            found.push(source.error("M038", format!("nothing depends on the parameter `{name}`"), &entry.span()));
        }
        found.extend(unsourced(source, &format!("the parameter `{name}`"), &parameter.fact, &entry.span()));
    }
}

/// Ports, issue width, queues.
fn units(processor: &Processor, files: &Files<'_>, found: &mut Vec<Diagnostic>) {
    let last = |span: &dyn Fn(&crate::model::file::ProcessorFile) -> Option<std::ops::Range<usize>>| {
        files.chain.iter().rev().find_map(|(source, file)| Some((source, span(file)?)))
    };
    if let Some((source, span)) = last(&|f| f.ports.as_ref().map(toml::Spanned::span)) {
        let used = processor.classes.iter().fold(0, |used, c| c.masks().fold(used, |used, mask| used | mask));
        for (_, port) in processor.ports.iter().enumerate().filter(|(n, _)| used >> n & 1 == 0) {
            found.push(source.error("M058", format!("the port `{port}` takes no class"), &span));
        }
        found.extend(unsourced(source, "the list of ports", &processor.ports_fact, &span));
    } else {
        found.push(Diagnostic::new("M059", format!("the processor `{}` has no ports", processor.name)));
    }
    if let Some((source, span)) = last(&|f| f.issue.as_ref().map(toml::Spanned::span)) {
        let ports = processor.ports.len() as u32;
        if !processor.infinite && (processor.issue == 0 || processor.issue > ports) {
            let message = format!("{} instructions issue in a cycle, but there are {ports} ports", processor.issue);
            found.push(source.error("M039", message, &span));
        }
        found.extend(unsourced(source, "the issue width", &processor.issue_fact, &span));
    }
    if let (Some(queues), Some((source, span))) =
        (&processor.out_of_order, last(&|f| f.out_of_order.as_ref().map(toml::Spanned::span)))
    {
        let numbers = [queues.insert, queues.entries.0, queues.entries.1, queues.launch.0, queues.launch.1];
        let more = [queues.retire.0, queues.retire.1, queues.stores];
        if numbers.iter().chain(&more).any(|n| *n == 0) {
            found.push(source.error("M062", "a queue that takes, launches or retires 0 never moves", &span));
        }
        found.extend(unsourced(source, "the out-of-order part", &queues.fact, &span));
    }
}
