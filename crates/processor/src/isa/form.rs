//! The form of an instruction: `d:gr = a:gr, n:-128..127`.

use super::{Operand, OperandKind, RegisterClass};

/// Operands that are written, then those that are read.
pub type Form = (Vec<Operand>, Vec<Operand>);

/// Reads a form: what is written, `=`, what is read; either side may be empty. An operand is `name:class` for a register
/// or `name:least..greatest` for a number.
///
/// # Errors
/// One sentence, and a help that may be empty.
pub fn parse_form(text: &str, registers: &[RegisterClass]) -> Result<Form, (String, String)> {
    let (left, right) = text.split_once('=').unwrap_or(("", text));
    let defines = operands(left, registers)?;
    if let Some(number) = defines.iter().find(|o| matches!(o.kind, OperandKind::Immediate(..))) {
        return Err((format!("the operand `{}` is written, but it is a number", number.name), String::new()));
    }
    let uses = operands(right, registers)?;
    for side in [&defines, &uses] {
        for (n, operand) in side.iter().enumerate() {
            if side[..n].iter().any(|o| o.name == operand.name) {
                return Err((format!("the operand `{}` is listed twice on one side", operand.name), String::new()));
            }
        }
    }
    if let Some(tied) = uses.iter().find(|u| defines.iter().any(|d| d.name == u.name && d.kind != u.kind)) {
        let message =
            format!("the operand `{}` is both read and written, but not in the same register class", tied.name);
        return Err((message, String::new()));
    }
    Ok((defines, uses))
}

fn operands(text: &str, registers: &[RegisterClass]) -> Result<Vec<Operand>, (String, String)> {
    text.split(',').map(str::trim).filter(|o| !o.is_empty()).map(|o| operand(o, registers)).collect()
}

fn operand(text: &str, registers: &[RegisterClass]) -> Result<Operand, (String, String)> {
    let help = "write `name:class` for a register or `name:0..63` for a number".to_owned();
    let Some((name, kind)) = text.split_once(':') else {
        return Err((format!("`{text}` is not an operand"), help));
    };
    let (name, kind) = (name.trim(), kind.trim());
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(word) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err((format!("`{name}` is not a name for an operand"), help));
    }
    if let Some((least, greatest)) = kind.split_once("..") {
        return match (least.trim().parse::<i64>(), greatest.trim().parse::<i64>()) {
            (Ok(least), Ok(greatest)) if least <= greatest => {
                Ok(Operand { name: name.to_owned(), kind: OperandKind::Immediate(least, greatest) })
            }
            _ => Err((format!("`{kind}` is not a range of numbers"), help)),
        };
    }
    match registers.iter().position(|r| r.name == kind) {
        Some(class) => Ok(Operand { name: name.to_owned(), kind: OperandKind::Register(class) }),
        None => {
            let known: Vec<_> = registers.iter().map(|r| r.name.as_str()).collect();
            Err((format!("there is no register class `{kind}`"), format!("known: {}", known.join(", "))))
        }
    }
}

/// What may stand in an operand, as it is written in a form.
#[must_use]
pub fn range_text(kind: &OperandKind, registers: &[RegisterClass]) -> String {
    match kind {
        OperandKind::Register(class) => registers[*class].name.clone(),
        OperandKind::Immediate(least, greatest) => format!("{least}..{greatest}"),
    }
}
