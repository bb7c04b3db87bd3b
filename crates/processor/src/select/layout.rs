//! Where tables lie: one behind the other, each aligned to its size, or interleaved so that each keeps to one bank.

use program::ir::{Function, OpKind, Type, ValueId};
use program::walk::for_each_op;

use super::objects::Objects;
use crate::code::{Object, Role};

/// How the tables of a kernel lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One behind the other.
    #[default]
    Contiguous,
    /// Each at a multiple of the least power of two that holds it: an index may be joined to its address by exclusive or.
    Aligned,
    /// Elements of several tables in turn, a table in each bank of the data cache: accesses to tables of different banks
    /// never meet in one. Of a processor without banks, in turns of `TURN` bytes, as Worley et al. (2000) lay tables out.
    Interleaved,
}

/// Bytes of a turn where a processor has no banks.
const TURN: u32 = 16;

impl Layout {
    /// All of them, by name.
    pub const NAMES: [(&'static str, Layout); 3] =
        [("contiguous", Layout::Contiguous), ("aligned", Layout::Aligned), ("interleaved", Layout::Interleaved)];

    /// The layout of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Layout> {
        Layout::NAMES.iter().find(|(known, _)| *known == name).map(|(_, layout)| *layout)
    }

    /// Lays out the tables of a function, and aligns its arrays that are looked up like tables; `banks`: bytes and number of
    /// the banks of the data cache.
    pub fn lay(self, function: &Function, objects: &mut Objects, banks: Option<(u32, u32)>) {
        if self == Layout::Contiguous {
            return;
        }
        for k in looked_up(function, objects) {
            let one = &mut objects.objects[k];
            one.alignment = one.bytes.next_power_of_two();
        }
        objects.place();
        let tables: Vec<usize> = (0..objects.objects.len()).filter(|&k| is_table(&objects.objects[k])).collect();
        if self == Layout::Interleaved && !tables.is_empty() {
            interleave(&mut objects.objects, &tables, banks);
        }
    }

    /// Whether an index, scaled, may be joined to the address of an object's byte number `at` by exclusive or: none of the
    /// bits of an index below `limit` is 1 in that address.
    #[must_use]
    pub fn joins(self, objects: &Objects, object: usize, at: i64, limit: u64) -> bool {
        let one = &objects.objects[object];
        if self == Layout::Contiguous || !one.stride.is_power_of_two() {
            return false;
        }
        let (base, distance) = objects.base(object);
        let whole = u64::from(one.stride) * limit;
        whole.is_power_of_two()
            && u64::from(objects.objects[base].alignment) >= whole
            && (distance + at) as u64 % whole < u64::from(one.stride)
    }
}

fn is_table(object: &Object) -> bool {
    matches!(object.role, Role::Table(_))
}

/// Objects with an index that is a word: tables, and arrays such as S-boxes that depend on the key.
fn looked_up(function: &Function, objects: &Objects) -> Vec<usize> {
    let mut found: Vec<usize> = (0..objects.objects.len()).filter(|&k| is_table(&objects.objects[k])).collect();
    for_each_op(&function.body, &mut |op| {
        let OpKind::Load(array, addresses) = &op.kind else { return };
        let is_word = |v: &ValueId| matches!(function.values[v.0 as usize].ty, Type::Word(_));
        let object = objects.of_value[array];
        if addresses.iter().any(|a| a.affine.terms.iter().any(|(_, v)| is_word(v))) && !found.contains(&object) {
            found.push(object);
        }
    });
    found
}

/// Lays tables of equal shape in turns, group behind group.
fn interleave(objects: &mut [Object], tables: &[usize], banks: Option<(u32, u32)>) {
    let (mut end, mut alignment) = (0, 1);
    for group in groups(objects, tables, banks.map_or(TURN, |(bytes, count)| bytes * count)) {
        let element = u32::from(objects[group[0]].element);
        let turn = turn(group.len() as u32, element, banks);
        let elements = objects[group[0]].bytes / element;
        let whole = (elements * turn).next_power_of_two();
        let start = end + (whole - end % whole) % whole;
        (end, alignment) = (start + elements * turn, alignment.max(whole));
        for (number, &k) in group.iter().enumerate() {
            let at = start + place(number as u32, element, banks);
            let table = &mut objects[k];
            (table.stride, table.bytes) = (turn, (elements - 1) * turn + element);
            table.base = (k != tables[0]).then_some((tables[0], i64::from(at)));
        }
    }
    objects[tables[0]].alignment = alignment;
}

/// Tables of equal shape that are interleaved: as many as a turn of so many bytes holds, a power of two.
fn groups(objects: &[Object], tables: &[usize], turn: u32) -> Vec<Vec<usize>> {
    let mut shapes: Vec<((u8, u32), Vec<usize>)> = Vec::new();
    for &k in tables {
        let shape = (objects[k].element, objects[k].bytes);
        match shapes.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, members)) => members.push(k),
            None => shapes.push((shape, vec![k])),
        }
    }
    let mut groups = Vec::new();
    for ((element, _), members) in shapes {
        let most = (turn / u32::from(element)).max(1) as usize;
        let mut rest = members.as_slice();
        while !rest.is_empty() {
            let fits = rest.len().min(most);
            let size = if fits.is_power_of_two() { fits } else { fits.next_power_of_two() / 2 };
            groups.push(rest[..size].to_vec());
            rest = &rest[size..];
        }
    }
    // The first table stays the one that the others are measured from.
    groups.sort_by_key(|group| group[0]);
    groups
}

/// Distance of two elements of one of several interleaved tables.
fn turn(tables: u32, element: u32, banks: Option<(u32, u32)>) -> u32 {
    match banks {
        Some((bytes, count)) if tables > 1 => bytes * count,
        _ => tables * element,
    }
}

/// Bytes from the start of a turn to the element of its table number `number`: tables next to each other in number lie in
/// different banks.
fn place(number: u32, element: u32, banks: Option<(u32, u32)>) -> u32 {
    banks.map_or(number * element, |(bytes, count)| number % count * bytes + number / count * element)
}
