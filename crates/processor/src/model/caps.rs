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
            keeps: Vec::new(),
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
    let within = |mask: &u64| u8::from(*mask != 0 && mask & !union == 0);
    let takes: Vec<u8> = classes.iter().map(|c| c.masks().map(|m| within(&m)).sum()).collect();
    let second: Vec<u8> = classes.iter().map(|c| c.second_ports.iter().map(within).sum()).collect();
    let held = |(c, second): (&Class, &u8)| if *second > 0 { c.held.max(1) } else { 1 };
    let holds: Vec<u32> = classes.iter().zip(&second).map(held).collect();
    let (alone, alike) = (holds.iter().all(|h| *h == 1), |c: usize| holds[c] == 1 || takes[c] == second[c]);
    let keeps = if alone || (0..classes.len()).all(alike) { Vec::new() } else { second };
    let holds = if alone { Vec::new() } else { holds };
    let names: Vec<&str> =
        ports.iter().enumerate().filter(|(n, _)| union >> n & 1 == 1).map(|(_, name)| name.as_str()).collect();
    Cap { name: names.join(" "), takes, limit: union.count_ones(), holds, keeps }
}

/// For every class and cycle behind its issue, whether something holds of the slots that it takes of some caps.
fn always(caps: &[&Cap], holds: &dyn Fn(&[u32]) -> bool) -> bool {
    let longest = caps.iter().map(|cap| cap.longest()).max().unwrap_or(1);
    (0..longest).all(|after| {
        (0..caps[0].takes.len()).all(|class| holds(&caps.iter().map(|cap| cap.slots(class, after)).collect::<Vec<_>>()))
    })
}

/// The second holds wherever the first does.
fn implies(first: &Cap, second: &Cap) -> bool {
    first.limit <= second.limit && always(&[first, second], &|slots| slots[0] >= slots[1])
}

/// The cap is the sum of two others.
fn splits(cap: &Cap, caps: &[Cap]) -> bool {
    caps.iter().enumerate().any(|(n, a)| {
        a.limit < cap.limit
            && caps[..n].iter().any(|b| {
                a.limit + b.limit <= cap.limit && always(&[a, b, cap], &|slots| slots[0] + slots[1] >= slots[2])
            })
    })
}
