//! Ports as caps: Hall's condition, without the caps that follow from others.

use crate::graph::{Cap, Resources};

use super::Class;

/// The caps of classes on ports (names by bit) and of an issue width (0: without limit).
///
/// A set of operations, each of which needs one port of its mask (and one of its second mask), fits into a cycle if and
/// only if for every set U of ports that is a union of masks, no more than |U| of the needs lie within U.
pub fn resources(classes: &[Class], ports: &[String], issue: u32) -> Resources {
    let names: Vec<String> = classes.iter().map(|c| c.name.clone()).collect();
    let mut caps: Vec<Cap> = unions(classes).into_iter().map(|union| cap(classes, ports, union)).collect();
    if issue > 0 {
        caps.push(Cap {
            name: "issue".to_owned(),
            takes: classes.iter().map(|c| c.slots).collect(),
            limit: issue,
            holds: Vec::new(),
        });
    }
    let mut kept: Vec<Cap> = Vec::new();
    for n in 0..caps.len() {
        let others = caps.iter().enumerate().filter(|(m, _)| *m != n);
        // Of equal caps the last one stays: `issue`.
        let equal_after = |m: usize| m > n;
        let dominated = others.clone().any(|(m, o)| implies(o, &caps[n]) && (equal_after(m) || !implies(&caps[n], o)));
        if !dominated && !splits(&caps[n], &caps) {
            kept.push(caps[n].clone());
        }
    }
    Resources { classes: names, caps: kept }
}

/// All unions of masks, fewest ports first.
fn unions(classes: &[Class]) -> Vec<u64> {
    let mut masks: Vec<u64> = classes.iter().flat_map(Class::masks).filter(|m| *m != 0).collect();
    masks.sort_unstable();
    masks.dedup();
    let mut unions: Vec<u64> = Vec::new();
    for mask in masks {
        let more: Vec<u64> = unions.iter().map(|u| u | mask).chain([mask]).collect();
        unions.extend(more);
        unions.sort_unstable();
        unions.dedup();
    }
    unions.sort_by_key(|u| (u.count_ones(), *u));
    unions
}

fn cap(classes: &[Class], ports: &[String], union: u64) -> Cap {
    let within = |mask: u64| u8::from(mask != 0 && mask & !union == 0);
    let takes = classes.iter().map(|c| c.masks().map(within).sum()).collect();
    // What is held has ports of its own: its cap is of them alone.
    let held = |c: &Class| c.held > 1 && c.second_ports.contains(&union) && within(c.ports) == 0;
    let holds: Vec<u32> = classes.iter().map(|c| if held(c) { c.held } else { 1 }).collect();
    let holds = if holds.iter().all(|h| *h == 1) { Vec::new() } else { holds };
    let names: Vec<&str> =
        ports.iter().enumerate().filter(|(n, _)| union >> n & 1 == 1).map(|(_, name)| name.as_str()).collect();
    Cap { name: names.join(" "), takes, limit: union.count_ones(), holds }
}

/// The second holds wherever the first does.
fn implies(first: &Cap, second: &Cap) -> bool {
    second.holds.is_empty() && first.limit <= second.limit && first.takes.iter().zip(&second.takes).all(|(a, b)| a >= b)
}

/// The cap is the sum of two others.
fn splits(cap: &Cap, caps: &[Cap]) -> bool {
    cap.holds.is_empty()
        && caps.iter().enumerate().any(|(n, a)| {
            a.limit < cap.limit
                && caps[..n].iter().any(|b| {
                    let takes = a.takes.iter().zip(&b.takes).zip(&cap.takes);
                    a.limit + b.limit <= cap.limit && takes.into_iter().all(|((x, y), z)| x + y >= *z)
                })
        })
}
