//! Which copy of a function serves which call: copies stand in one order, so that a word never runs in a combinational loop through them.

use std::collections::{BTreeMap, BTreeSet};

/// The copies, and for every list of functions the copies that serve it, in order.
pub(in super::super) struct Binding {
    /// The function of each copy, in the order in which words run through them.
    pub copies: Vec<String>,
    /// Per list, the copy of each of its members.
    pub served: Vec<Vec<usize>>,
}

/// Finds a short common order of lists of functions: heavy functions are rather shared than light ones.
pub(in super::super) fn bind(lists: &[Vec<String>], weights: &BTreeMap<String, u32>) -> Binding {
    let weight = |f: &str| u64::from(weights.get(f).copied().unwrap_or(0)) + 1;
    let mut distinct: Vec<&Vec<String>> = Vec::new();
    for list in lists {
        if !distinct.contains(&list) {
            distinct.push(list);
        }
    }
    distinct.sort_by_key(|list| std::cmp::Reverse(list.iter().map(|f| weight(f)).sum::<u64>()));
    let mut copies: Vec<String> = Vec::new();
    for list in distinct {
        copies = merged(&copies, list, &weight);
    }
    let mut served: Vec<Vec<usize>> = lists.iter().map(|list| embedded(&copies, list)).collect();
    // Lists that came together in several steps may leave copies that no list needs.
    let used: Vec<usize> = served.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
    served.iter_mut().flatten().for_each(|copy| *copy = used.binary_search(copy).unwrap_or(0));
    Binding { copies: used.into_iter().map(|copy| std::mem::take(&mut copies[copy])).collect(), served }
}

/// The lightest list that holds both in order.
fn merged(a: &[String], b: &[String], weight: &dyn Fn(&str) -> u64) -> Vec<String> {
    let mut cost = vec![vec![0u64; b.len() + 1]; a.len() + 1];
    for i in (0..=a.len()).rev() {
        for j in (0..=b.len()).rev() {
            let take_a = (i < a.len()).then(|| weight(&a[i]) + cost[i + 1][j]);
            let take_b = (j < b.len()).then(|| weight(&b[j]) + cost[i][j + 1]);
            let both = (i < a.len() && j < b.len() && a[i] == b[j]).then(|| weight(&a[i]) + cost[i + 1][j + 1]);
            cost[i][j] = [take_a, take_b, both].into_iter().flatten().min().unwrap_or(0);
        }
    }
    let (mut i, mut j, mut list) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] && cost[i][j] == weight(&a[i]) + cost[i + 1][j + 1] {
            list.push(a[i].clone());
            i += 1;
            j += 1;
        } else if i < a.len() && cost[i][j] == weight(&a[i]) + cost[i + 1][j] {
            list.push(a[i].clone());
            i += 1;
        } else {
            list.push(b[j].clone());
            j += 1;
        }
    }
    list
}

fn embedded(copies: &[String], list: &[String]) -> Vec<usize> {
    let mut at = 0;
    let mut served = Vec::new();
    for function in list {
        let found = copies[at..].iter().position(|copy| copy == function).unwrap_or(0) + at;
        served.push(found);
        at = found + 1;
    }
    served
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    #[test]
    fn heavy_functions_are_shared() {
        let weights = BTreeMap::from([("S".to_owned(), 100), ("P".to_owned(), 1)]);
        let binding = bind(&[list("SPPP"), list("PPSP"), list("PPPP")], &weights);
        assert_eq!(binding.copies.concat(), "PPSPPP");
        assert_eq!(binding.served[0], [2, 3, 4, 5]);
        assert_eq!(binding.served[1], [0, 1, 2, 3]);
    }

    #[test]
    fn copies_that_no_list_needs_are_left_out() {
        let lists = [list("AS"), list("SA"), list("BSA"), list("AB")];
        let binding = bind(&lists, &BTreeMap::new());
        let served: BTreeSet<usize> = binding.served.iter().flatten().copied().collect();
        assert_eq!(served.into_iter().collect::<Vec<_>>(), (0..binding.copies.len()).collect::<Vec<_>>());
        for (list, served) in lists.iter().zip(&binding.served) {
            assert!(list.iter().zip(served).all(|(function, &copy)| *function == binding.copies[copy]));
        }
    }
}
