//! `pair-nibbles`: words of four bits that loops carry, and those of the rows of arrays, are kept two in a byte.
//!
//! Identities, for two words u and v side by side in a byte: bitwise operations on both are one on the byte; an exchange of the two is a
//! rotation by four bits; look-ups at both make a byte again, which `merge-lookups` makes one look-up; words joined from bits are joined to
//! one byte. What is neither is taken out of its byte and joined anew.
//!
//! Which of the 2^k words of a run that a loop carries share a byte is searched: word i is with word i ^ e, and in the upper half where
//! i & m has an odd number of ones, for all e of one bit and all m that hold it. The one counts for which the function takes the fewest
//! operations on bytes, each with a weight ([`cost`]); that none are paired is one of the choices. The columns of an array's rows go as the
//! function that reads them wants them: `encrypt` first, then the others. An array of round keys changes its type thereby.

mod cost;
mod rebuild;
mod ways;

use std::collections::{HashMap, HashSet};

use self::rebuild::{Columns, Rebuild, Wanted};
use super::only::FunctionFilter;
use super::pack::rows::classes_of;
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Function, OpKind, Program, Type, ValueId};
use crate::roles;
use crate::walk::for_each_op;

/// See the module's text.
pub struct PairNibbles;

/// Bits of the words that are paired.
const BITS: u8 = 4;
/// Words of a run beyond which pairs of neighbours alone are tried.
const MOST_SEARCHED: usize = 64;

/// Which words of a run share a byte: word `i` and `i ^ partner`, the upper one where `i & upper` has an odd number of ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pairing {
    partner: usize,
    upper: usize,
}

impl Pairing {
    /// The pairs of a run of so many words, the lower half first. A run that the pairing does not fit has neighbours together.
    fn pairs(self, count: usize) -> Vec<[usize; 2]> {
        let fits = count % (2 * self.partner) == 0;
        let Pairing { partner, upper } = if fits { self } else { Pairing { partner: 1, upper: 1 } };
        let is_upper = |i: usize| (i & upper).count_ones() % 2 == 1;
        let lower = (0..count).filter(|&i| !is_upper(i) && i ^ partner < count);
        lower.map(|i| [i, i ^ partner]).collect()
    }

    /// All that are tried for runs of so many words.
    fn all(count: usize) -> Vec<Pairing> {
        if !count.is_power_of_two() || count > MOST_SEARCHED {
            return vec![Pairing { partner: 1, upper: 1 }];
        }
        let digits = count.trailing_zeros();
        let of =
            |partner: usize| (0..count).filter(move |m| m & partner != 0).map(move |upper| Pairing { partner, upper });
        (0..digits).flat_map(|digit| of(1 << digit)).collect()
    }
}

impl Pass for PairNibbles {
    fn name(&self) -> &'static str {
        "pair-nibbles"
    }

    fn description(&self) -> &'static str {
        "keep words of four bits in pairs, two in a byte"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let only = FunctionFilter::of(settings, program)?;
        let plain =
            |list: HashMap<ValueId, (usize, usize)>| list.into_iter().map(|(v, (class, _))| (v, class)).collect();
        let mut classes: Vec<HashMap<ValueId, usize>> =
            classes_of(program, &only, &columns_of).into_iter().map(plain).collect();
        let mut columns: HashMap<usize, Columns> = HashMap::new();
        let mut order: Vec<usize> = (0..program.functions.len()).collect();
        order.sort_by_key(|&n| rank(&program.functions[n].name));
        let mut made = vec![None; program.functions.len()];
        for n in order {
            let function = &program.functions[n];
            if only.includes(&function.name) {
                made[n] = best(program, function, &classes[n], &mut columns);
                // Columns that are not paired now stay single in the other functions, too.
                let open: HashSet<usize> = classes[n].values().copied().filter(|c| !columns.contains_key(c)).collect();
                classes.iter_mut().for_each(|list| list.retain(|_, class| !open.contains(class)));
            }
        }
        for (function, made) in program.functions.iter_mut().zip(made) {
            if let Some(made) = made {
                *function = made;
            }
        }
        Ok(())
    }
}

/// What reads arrays decides before what makes them.
fn rank(name: &str) -> usize {
    let forward = roles::FORWARD.contains(&name);
    if roles::SCHEDULES.contains(&name) {
        3
    } else if forward {
        0
    } else {
        1 + usize::from(!roles::BACKWARD.contains(&name))
    }
}

/// The columns of an array of rows of words that may be paired.
fn columns_of(ty: &Type) -> Option<usize> {
    match ty {
        Type::Array(array) if array.width == BITS && array.dims.len() == 2 => Some(array.dims[1] as usize),
        _ => None,
    }
}

/// A function with the pairs for which it is cheapest; `None` where it stays as it is. Classes whose columns nobody has
/// chosen yet get theirs.
fn best(
    program: &Program,
    function: &Function,
    classes: &HashMap<ValueId, usize>,
    columns: &mut HashMap<usize, Columns>,
) -> Option<Function> {
    let decided = classes.values().any(|class| columns.contains_key(class));
    let mut found: Option<(u64, Function, HashMap<usize, Columns>)> = None;
    let runs = longest_run(function);
    let none = if runs == 0 { Vec::new() } else { Pairing::all(runs).into_iter().map(Some).collect() };
    for pairing in std::iter::once(None).chain(none) {
        let mut own = columns.clone();
        if pairing.is_some() || decided {
            let wanted = Rebuild::new(function, pairing, classes, &own).rebuilt().1;
            for (class, count) in sizes(function, classes) {
                own.entry(class).or_insert_with(|| Columns::new(count, &wanted, class));
            }
        }
        let (made, _) = Rebuild::new(function, pairing, classes, &own).rebuilt();
        let cost = cost::cost(program, &made);
        if found.as_ref().map_or(true, |(least, ..)| cost < *least) {
            found = Some((cost, made, own));
        }
    }
    let (_, made, own) = found?;
    *columns = own;
    (made != *function).then_some(made)
}

/// The columns of the arrays of a function, by their class.
fn sizes(function: &Function, classes: &HashMap<ValueId, usize>) -> Vec<(usize, usize)> {
    let mut sizes: Vec<(usize, usize)> = classes
        .iter()
        .filter_map(|(v, &class)| Some((class, columns_of(&function.values[v.0 as usize].ty)?)))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Words in the longest run that a loop carries.
fn longest_run(function: &Function) -> usize {
    let mut longest = 0;
    for_each_op(&function.body, &mut |op| {
        if let OpKind::Loop(_) = &op.kind {
            let runs = rebuild::runs(function, &op.results);
            longest = runs.into_iter().map(|(_, count)| count).max().unwrap_or(0).max(longest);
        }
    });
    longest
}

/// Adds what is wanted of a class to its columns.
impl Columns {
    fn new(count: usize, wanted: &Wanted, class: usize) -> Columns {
        let mut columns = Columns { places: vec![None; count], bytes: 0 };
        for &(of, low, high) in wanted {
            if of == class && columns.places[low].is_none() && columns.places[high].is_none() && low != high {
                columns.add(low, Some(high));
            }
        }
        let rest: Vec<usize> = (0..count).filter(|&n| columns.places[n].is_none()).collect();
        for pair in rest.chunks(2) {
            columns.add(pair[0], pair.get(1).copied());
        }
        columns
    }

    fn add(&mut self, low: usize, high: Option<usize>) {
        self.places[low] = Some((self.bytes, 0));
        if let Some(high) = high {
            self.places[high] = Some((self.bytes, BITS));
        }
        self.bytes += 1;
    }
}
