//! Templates of lines: `$name` is filled in.

/// A template with what stands for its names.
pub fn filled(template: &str, with: &[(&str, &str)]) -> String {
    let mut parts = template.split('$');
    let mut text = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        text.push_str(with.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        text.push_str(rest);
    }
    text
}

/// The text of a place.
pub fn place(n: usize) -> String {
    format!("{{{n}}}")
}
