//! Names near to one that is unknown.

/// Says what is known, the nearest names first: ``did you mean `t1` or `t11`?``.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut all: Vec<(usize, &str)> = known.into_iter().map(|k| (distance(name, k), k)).collect();
    all.sort_unstable();
    all.dedup();
    let limit = if name.chars().count() > 3 { 2 } else { 1 };
    let close: Vec<String> =
        all.iter().take_while(|(d, _)| *d <= limit).take(2).map(|(_, k)| format!("`{k}`")).collect();
    if !close.is_empty() {
        return format!("did you mean {}?", close.join(" or "));
    }
    all.sort_unstable_by_key(|(_, k)| *k);
    let shown: Vec<&str> = all.iter().take(12).map(|(_, k)| *k).collect();
    let more = if all.len() > shown.len() { ", …" } else { "" };
    if shown.is_empty() {
        "none is known".to_owned()
    } else {
        format!("known: {}{more}", shown.join(", "))
    }
}

/// Letters to insert, delete or change (Levenshtein's distance), whatever the case.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
