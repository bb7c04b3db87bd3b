//! Which circuit a box gets, of the texts that a pass is given.

use std::collections::hash_map::Entry;
use std::collections::HashMap;

use circuit::text::{nearest, parse, Document};
use circuit::{Circuit, Fault, SBox};

use super::basis::lowered;
use crate::diagnostic::Diagnostic;
use crate::passes::Settings;

/// Circuits by truth table: the first of the texts that has one wins.
pub type CircuitTable = HashMap<Vec<u8>, Circuit>;

/// The circuits that the options ask for, by the operations of a program.
///
/// `set=PART`: of the files whose name contains PART. `target=NAME`: those made for that target. Without either: those
/// made for no target, and then the others.
///
/// # Errors
/// `S020` for a text that cannot be read, `S021` for a circuit that does not compute its table, `S022` for a target
/// that no circuit is made for.
pub fn circuits(settings: &Settings<'_>) -> Result<CircuitTable, Diagnostic> {
    let option = |key: &str| settings.options.get(key).map(String::as_str).unwrap_or_default();
    let (set, target) = (option("set"), option("target"));
    let named: Vec<_> = settings.circuits.iter().filter(|(file, _)| file.contains(set)).collect();
    let of = |text: &str| target_line(text).unwrap_or_default().to_owned();
    let mut known = CircuitTable::new();
    if target.is_empty() {
        for bare in [true, false] {
            for (file, text) in named.iter().filter(|(_, text)| of(text).is_empty() == bare) {
                add(file, text, &mut known)?;
            }
        }
        return Ok(known);
    }
    let mut made_for: Vec<String> = named.iter().map(|(_, text)| of(text)).filter(|t| !t.is_empty()).collect();
    if !made_for.iter().any(|name| name == target) {
        made_for.sort_unstable();
        made_for.dedup();
        let names = made_for.iter().map(String::as_str);
        return Err(Diagnostic::new("S022", format!("no circuit is made for the target `{target}`"))
            .help(nearest(target, names)));
    }
    for (file, text) in named.iter().filter(|(_, text)| of(text) == target) {
        add(file, text, &mut known)?;
    }
    Ok(known)
}

/// The target that the first circuit of a text is made for.
fn target_line(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.trim().strip_prefix("target ")).map(str::trim)
}

fn add(file: &str, text: &str, known: &mut CircuitTable) -> Result<(), Diagnostic> {
    let documents = parse(text, None, None).map_err(|fault| unreadable(file, &fault))?;
    for document in documents {
        let sbox = checked(file, &document)?;
        if let Entry::Vacant(free) = known.entry(sbox.data) {
            free.insert(lowered(&document.circuit).map_err(|fault| unreadable(file, &fault))?);
        }
    }
    Ok(())
}

fn unreadable(file: &str, fault: &Fault) -> Diagnostic {
    let mut diagnostic = Diagnostic::new("S020", format!("{file}:{}: {}", fault.line, fault.message));
    diagnostic.notes.clone_from(&fault.notes);
    diagnostic.help(fault.help.clone())
}

fn checked(file: &str, document: &Document) -> Result<SBox, Diagnostic> {
    let name = &document.name;
    let failure = |what: String| Diagnostic::new("S021", format!("{file}: the circuit {name} {what}"));
    let sbox = document.sbox().map_err(|fault| failure(format!("has no table: {}", fault.message)))?;
    let sbox = sbox.ok_or_else(|| failure("has no table".to_owned()))?;
    let (inputs, own) = (document.circuit.inputs, sbox.inputs);
    if own != inputs {
        return Err(failure(format!("has a table of {} entries, not {}", sbox.data.len(), 1 << inputs)));
    }
    let differing = (0..sbox.data.len()).find(|&x| document.circuit.value(x) != sbox.data[x]);
    match differing {
        Some(x) => Err(failure(format!("gives {} for {x}, its table {}", document.circuit.value(x), sbox.data[x]))),
        None => Ok(sbox),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const BARE: &str = "circuit N: 1 -> 1\ntable 1 0\ny0 = ~x0\n";
    const MADE: &str = "circuit N: 1 -> 1\ntable 1 0\ntarget two-input\nt1 = ~x0\nt2 = ~t1\ny0 = ~t2\n\n\
        circuit M: 2 -> 1\ntable 1 1 1 0\ntarget two-input\ny0 = lut(0x7, x0, x1)\n";

    fn asked(texts: &[(&str, &str)], options: &[(&str, &str)]) -> Result<Vec<usize>, Diagnostic> {
        let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        let (circuits_given, options) = (owned(texts), owned(options));
        let settings = Settings { options: options.into_iter().collect::<BTreeMap<_, _>>(), circuits: &circuits_given };
        let known = circuits(&settings)?;
        Ok([vec![1, 0], vec![1, 1, 1, 0]].iter().filter_map(|t| known.get(t)).map(|c| c.gates.len()).collect())
    }

    #[test]
    fn what_is_asked_for_is_chosen() {
        let texts = [("a/made.txt", MADE), ("bare.txt", BARE)];
        assert_eq!(asked(&texts, &[]), Ok(vec![1, 2]));
        assert_eq!(asked(&texts, &[("target", "two-input")]), Ok(vec![3, 2]));
        assert_eq!(asked(&texts, &[("set", "bare")]), Ok(vec![1]));
        assert_eq!(asked(&texts, &[("set", "nothing")]), Ok(vec![]));
        let error = asked(&texts, &[("target", "two-inputs")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "error[S022]: no circuit is made for the target `two-inputs`\n   = help: did you mean `two-input`?"
        );
    }

    #[test]
    fn a_wrong_circuit_is_refused() {
        let told = |text: &str| asked(&[("n.txt", text)], &[]).unwrap_err().to_string();
        assert_eq!(
            told("circuit N: 1 -> 1\ntable 1 0\ny0 = x0\n"),
            "error[S021]: n.txt: the circuit N gives 0 for 0, its table 1"
        );
        assert_eq!(told("circuit N: 1 -> 1\ny0 = x0\n"), "error[S021]: n.txt: the circuit N has no table");
        assert_eq!(
            told("circuit N: 1 -> 1\ntable 1 0\ny0 = x1\n"),
            "error[S020]: n.txt:3: the name `x1` is used before it has a value\n   = help: did you mean `x0`?"
        );
    }
}
