//! The outer form of a text: comments, labels, directives, bundles and stops; what stays are the texts of operations.

use crate::simulate::listing::Style;

/// An item of a text, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `name:`
    Label(String),
    /// `.mii` and other directives.
    Directive(String),
    /// `{`
    Open,
    /// `}`
    Close,
    /// `;;`
    Stop,
    /// An operation with its guard.
    Operation(String),
}

/// The items of a text; `comment` is what begins a comment where operations stand one per line.
#[must_use]
pub fn items(text: &str, style: Style, comment: &str) -> Vec<(u32, Item)> {
    let mut out = Vec::new();
    let mut inside = false;
    for (n, line) in text.lines().enumerate() {
        let line = without_comments(line, style, comment, &mut inside);
        let mut found = Vec::new();
        match style {
            Style::DelaySlots => sequential(&line, &mut found),
            Style::Bundles | Style::Groups => grouped(&line, &mut found),
            Style::Lines => statement(line.trim(), &mut found),
        }
        out.extend(found.into_iter().map(|item| (n as u32 + 1, item)));
    }
    out
}

fn without_comments(line: &str, style: Style, comment: &str, inside: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    if rest.starts_with('#') && !*inside {
        return out;
    }
    let end = match style {
        Style::DelaySlots => ";",
        Style::Lines => comment,
        Style::Bundles | Style::Groups => "//",
    };
    while !rest.is_empty() {
        if *inside {
            let Some(close) = rest.find("*/") else { return out };
            *inside = false;
            rest = &rest[close + 2..];
        }
        let (line_end, open) = (rest.find(end), rest.find("/*"));
        match (line_end, open) {
            (Some(e), o) if o.map_or(true, |o| e < o) => return out + &rest[..e],
            (_, Some(o)) => {
                out.push_str(&rest[..o]);
                out.push(' ');
                *inside = true;
                rest = &rest[o + 2..];
            }
            _ => return out + rest,
        }
    }
    out
}

fn grouped(line: &str, out: &mut Vec<Item>) {
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '{' => {
                out.push(Item::Open);
                1
            }
            '}' => {
                out.push(Item::Close);
                1
            }
            ';' if rest.starts_with(";;") => {
                out.push(Item::Stop);
                2
            }
            ';' => 1,
            _ => {
                let end = rest.find([';', '{', '}']).unwrap_or(rest.len());
                statement(rest[..end].trim(), out);
                end
            }
        };
        rest = rest[taken..].trim_start();
    }
}

/// Labels stand at the left margin, with or without a colon; `!` separates statements.
fn sequential(line: &str, out: &mut Vec<Item>) {
    let mut rest = line;
    if rest.starts_with(|c: char| !c.is_whitespace() && c != '.') || rest.starts_with(".L") {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        out.push(Item::Label(rest[..end].trim_end_matches(':').to_owned()));
        rest = &rest[end..];
    }
    for part in rest.split('!') {
        statement(part.trim(), out);
    }
}

fn statement(text: &str, out: &mut Vec<Item>) {
    let mut rest = text;
    while let Some((label, after)) = split_label(rest) {
        out.push(Item::Label(label.to_owned()));
        rest = after.trim_start();
    }
    // `{ .mii add …`: the template may stand before an operation on one line.
    if let Some(directive) = rest.strip_prefix('.') {
        let end = directive.find(char::is_whitespace).unwrap_or(directive.len());
        if is_template(&directive[..end]) {
            out.push(Item::Directive(format!(".{}", &directive[..end])));
            rest = directive[end..].trim_start();
        }
    }
    if rest.starts_with('.') {
        out.push(Item::Directive(rest.to_owned()));
    } else if !rest.is_empty() {
        out.push(Item::Operation(rest.to_owned()));
    }
}

/// Whether a directive names the slots of a bundle.
#[must_use]
pub fn is_template(name: &str) -> bool {
    const TEMPLATES: [&str; 10] = ["mii", "mlx", "mmi", "mfi", "mmf", "mib", "mbb", "bbb", "mmb", "mfb"];
    TEMPLATES.contains(&name)
}

fn split_label(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')))?;
    (end > 0 && text[end..].starts_with(':')).then(|| (&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, style: Style) -> Vec<Item> {
        items(text, style, "#").into_iter().map(|i| i.1).collect()
    }

    #[test]
    fn bundles_on_one_line_and_on_several() {
        let several = "{ .mii\n  (p16) add r8 = r9, r10 // sum\n nop.i 0 ;;\n nop.i 0\n}";
        let one = "{ .mii; (p16) add r8 = r9, r10; nop.i 0 ;; nop.i 0 }";
        assert_eq!(texts(several, Style::Bundles), texts(one, Style::Bundles));
        let operation = Item::Operation("(p16) add r8 = r9, r10".into());
        assert_eq!(texts(one, Style::Bundles)[..3], [Item::Open, Item::Directive(".mii".into()), operation]);
    }

    #[test]
    fn labels_and_comments_over_lines() {
        let found = texts("loop: x /* one\n two */ y\n.L2:\n.align 16\n# no", Style::Groups);
        let expected = [
            Item::Label("loop".into()),
            Item::Operation("x".into()),
            Item::Operation("y".into()),
            Item::Label(".L2".into()),
            Item::Directive(".align 16".into()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn labels_at_the_margin() {
        let found = texts("again\tldw 0(%r26),%r3 ; first\nb2: bv %r0(%r2) ! nop", Style::DelaySlots);
        let expected = [
            Item::Label("again".into()),
            Item::Operation("ldw 0(%r26),%r3".into()),
            Item::Label("b2".into()),
            Item::Operation("bv %r0(%r2)".into()),
            Item::Operation("nop".into()),
        ];
        assert_eq!(found, expected);
    }
}
