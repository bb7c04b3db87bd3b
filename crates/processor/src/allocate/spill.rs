//! Values that leave their registers for a while: constants are made again, others are stored and loaded again.

use program::Diagnostic;

use super::live::{used, Live};
use super::plan::Plan;
use super::scan::{limit, peak};
use crate::code::{Access, Code, Input, Object, Op, Packing, Region, Role, Use, Value, ValueId};
use crate::graph::Schedule;
use crate::isa::{InstructionId, Isa, OperandKind};
use crate::model::Processor;
use crate::semantics::{Expression, Operator, Statement};

/// Name of the object for spilled values.
const NAME: &str = "spilled";
/// Uses so close to each other share one load.
const NEAR: usize = 6;
/// Operations in a row that make a value again: a constant takes two.
const DEPTH: usize = 2;

/// Code in which fewer values are alive where most are: what is needed latest there leaves its register. It must be
/// scheduled anew; `None` where all values fit.
///
/// # Errors
/// Those of [`super::allocate`] where nothing can leave.
pub fn spill(code: &Code, schedules: &[Schedule], processor: &Processor) -> Result<Option<Code>, Diagnostic> {
    let error = match super::allocate(code, schedules, processor) {
        Ok(_) => return Ok(None),
        Err(error) if error.code == "M401" => error,
        Err(error) => return Err(error),
    };
    let plan = Plan::new(code, schedules, processor)?;
    let live = Live::of(&plan);
    let webs = super::live::Webs::of(&plan, &live);
    let classes = 0..processor.isa.registers.len();
    let over = |class: usize| peak(&plan, &webs, class).1.saturating_sub(limit(&plan, class));
    let class = classes.max_by_key(|&class| over(class)).unwrap_or(0);
    let tick = peak(&plan, &webs, class).0;
    let mut victims = candidates(&plan, &live, class, tick);
    victims.sort_by_key(|v| (std::cmp::Reverse(v.next), v.value));
    let mut rewriter = Rewriter { code: code.clone(), isa: &processor.isa, inserted: Vec::new() };
    let mut freed = 0;
    for victim in victims.iter().take(over(class).max(1)) {
        freed += usize::from(rewriter.remove(victim));
    }
    if freed == 0 {
        return Err(error);
    }
    Ok(Some(rewriter.code))
}

/// A value that could leave its register at a tick.
struct Victim {
    value: ValueId,
    /// Tick of the next use.
    next: u32,
    /// The region of its uses behind the tick, and their numbers in it.
    region: usize,
    uses: Vec<usize>,
}

fn candidates(plan: &Plan, live: &Live, class: usize, tick: u32) -> Vec<Victim> {
    let Some(part) = live.spans.iter().position(|s| s.0 <= tick && tick <= s.1) else { return Vec::new() };
    let alive = |v: &usize| {
        plan.code.values[*v].class == class && live.segments[*v].iter().any(|s| s.start < tick && tick < s.end)
    };
    let of = |v: usize| {
        let value = v as ValueId;
        let mut found = Victim { value, next: u32::MAX, region: usize::MAX, uses: Vec::new() };
        for (n, planned) in plan.parts[part].ops.iter().enumerate() {
            let at = live.ticks[part][n];
            if used(planned).any(|u| u == value) && at >= tick && !saves(&plan.code, &planned.op) {
                let (region, op) = planned.origin?;
                (found.next, found.region) = (found.next.min(at), region);
                found.uses.push(op);
            }
        }
        let elsewhere = plan.parts.iter().enumerate().any(|(k, p)| {
            k != part
                && (p.ops.iter().any(|o| used(o).any(|u| u == value)) || p.carried.iter().any(|c| c.init == value))
        });
        found.uses.sort_unstable();
        // Uses nearer than that would share the load with those before.
        (!found.uses.is_empty() && !elsewhere && found.next > tick + NEAR as u32 + 2).then_some(found)
    };
    let straight = matches!(plan.parts[part].shape, super::plan::Shape::Straight);
    // Pointers stay, because what is made again needs them.
    let pointer = |v: &usize| plan.code.inputs.iter().any(|i| i.value as usize == *v);
    (0..plan.code.values.len()).filter(|v| straight && alive(v) && !pointer(v)).filter_map(of).collect()
}

struct Rewriter<'a> {
    code: Code,
    isa: &'a Isa,
    /// Of each insertion so far its region, its place, and how many operations.
    inserted: Vec<(usize, usize, usize)>,
}

impl Rewriter<'_> {
    /// Gives the later uses of a value new values; says whether that was possible.
    fn remove(&mut self, victim: &Victim) -> bool {
        if let Some(made) = self.maker(victim.value, DEPTH) {
            self.again(victim, &made);
            return true;
        }
        self.through_memory(victim)
    }

    /// The operations that make a value from numbers, pointers and memory that stays as it is; the last one defines it.
    fn maker(&self, value: ValueId, depth: usize) -> Option<Vec<Op>> {
        let ops = self.code.regions.iter().flat_map(Region::ops);
        let op = ops.into_iter().find(|op| op.defines == [value])?;
        if op.guard.is_some() || depth == 0 || !op.access.map_or(true, |access| self.stays(access)) {
            return None;
        }
        let mut made = Vec::new();
        for used in &op.uses {
            match *used {
                Use::Value(v) if self.code.inputs.iter().any(|i| i.value == v) => {}
                // A pointer that had to be made for an access would take a register of its own.
                Use::Value(v) if op.access.is_none() => made.extend(self.maker(v, depth - 1)?),
                Use::Value(_) => return None,
                _ => {}
            }
        }
        made.push(op.clone());
        Some(made)
    }

    /// Nothing is stored where a load reads, or, for spilled values, only once.
    fn stays(&self, access: Access) -> bool {
        let object = &self.code.objects[access.object];
        let stored = |op: &Op| op.access.is_some_and(|a| a.store && a.object == access.object);
        let spilled = object.role == Role::Scratch && object.name == NAME;
        !access.store && (spilled || !self.code.regions.iter().flat_map(Region::ops).any(stored))
    }

    fn through_memory(&mut self, victim: &Victim) -> bool {
        let class = self.code.values[victim.value as usize].class;
        let (Some(store), Some(load)) = (saver(self.isa, class), loader(self.isa, class)) else { return false };
        let saved = self
            .code
            .regions
            .iter()
            .flat_map(Region::ops)
            .find(|op| saves(&self.code, op) && op.uses.contains(&Use::Value(victim.value)));
        let known = saved.and_then(|op| op.access).and_then(|a| Some((a.object, a.offset?.0)));
        let place = known.and_then(|(object, offset)| {
            let pointer = self.code.inputs.iter().find(|i| i.object == object)?.value;
            Some((object, pointer, offset))
        });
        let Some((object, pointer, offset)) = place.or_else(|| self.room()) else { return false };
        let bytes = self.isa.word_bits / 8;
        let access = |store| Some(Access { object, offset: Some((offset, 0)), bytes, store });
        let restored = fill(self.isa, load, pointer, offset, None);
        self.again(victim, &[Op { access: access(false), defines: vec![victim.value], ..restored }]);
        if known.is_none() {
            let saved = fill(self.isa, store, pointer, offset, Some(victim.value));
            let save = Op { access: access(true), ..saved };
            let Region::Straight(ops) = &self.code.regions[victim.region] else { return false };
            let behind = ops.iter().position(|op| op.defines.contains(&victim.value)).map_or(0, |k| k + 1);
            self.insert(victim.region, behind, vec![save]);
        }
        true
    }

    fn insert(&mut self, region: usize, at: usize, made: Vec<Op>) {
        let Region::Straight(ops) = &mut self.code.regions[region] else { return };
        self.inserted.push((region, at, made.len()));
        ops.splice(at..at, made);
    }

    /// Where an operation stands now that stood at a number before all insertions.
    fn moved(&self, region: usize, number: usize) -> usize {
        let here = self.inserted.iter().filter(|i| i.0 == region);
        here.fold(number, |number, &(_, at, count)| if at <= number { number + count } else { number })
    }

    /// Puts operations that make the value again before its later uses.
    fn again(&mut self, victim: &Victim, makers: &[Op]) {
        let mut inserted: Vec<(usize, Vec<Op>)> = Vec::new();
        let mut current: Option<(usize, ValueId)> = None;
        let uses: Vec<usize> = victim.uses.iter().map(|&n| self.moved(victim.region, n)).collect();
        for number in uses {
            let near = current.filter(|c| number - c.0 <= NEAR).map(|c| c.1);
            let new = near.unwrap_or_else(|| {
                let (new, ops) = self.copied(makers);
                inserted.push((number, ops));
                new
            });
            current = Some((number, new));
            let Region::Straight(ops) = &mut self.code.regions[victim.region] else { return };
            let op = &mut ops[number];
            op.uses.iter_mut().filter(|u| **u == Use::Value(victim.value)).for_each(|u| *u = Use::Value(new));
            op.guard = op.guard.map(|g| if g == victim.value { new } else { g });
        }
        for (at, made) in inserted.into_iter().rev() {
            self.insert(victim.region, at, made);
        }
    }

    /// The same operations with new values; the last one defines the value that is returned.
    fn copied(&mut self, makers: &[Op]) -> (ValueId, Vec<Op>) {
        let mut news: Vec<(ValueId, ValueId)> = Vec::new();
        let mut copies = Vec::new();
        for maker in makers {
            let old = maker.defines[0];
            let mut copy = maker.clone();
            for (from, to) in &news {
                copy.uses.iter_mut().filter(|u| **u == Use::Value(*from)).for_each(|u| *u = Use::Value(*to));
            }
            let value = self.code.values[old as usize].clone();
            self.code.values.push(Value { name: format!("{}.again", value.name.trim_end_matches(".again")), ..value });
            let new = (self.code.values.len() - 1) as ValueId;
            copy.defines = vec![new];
            news.push((old, new));
            copies.push(copy);
        }
        (news.last().map_or(0, |n| n.1), copies)
    }

    /// A new place in memory: its object, the pointer to it, and the bytes from there.
    fn room(&mut self) -> Option<(usize, ValueId, i64)> {
        let word = u32::from(self.isa.word_bits / 8);
        let found = self.code.objects.iter().position(|o| o.role == Role::Scratch && o.name == NAME);
        let object = match found {
            Some(object) => object,
            None => {
                if self.code.inputs.len() >= self.isa.arguments.len() {
                    return None;
                }
                let general = self.isa.registers.iter().position(|r| r.zero.is_some())?;
                self.code.values.push(Value { name: NAME.into(), class: general });
                let object = self.code.objects.len();
                self.code.inputs.push(Input { value: (self.code.values.len() - 1) as ValueId, object, offset: 0 });
                self.code.objects.push(Object {
                    name: NAME.into(),
                    bytes: 0,
                    alignment: 16,
                    element: word as u8,
                    stride: word,
                    packing: Packing::None,
                    role: Role::Scratch,
                    base: None,
                });
                object
            }
        };
        let offset = i64::from(self.code.objects[object].bytes);
        self.code.objects[object].bytes += word;
        let pointer = self.code.inputs.iter().find(|i| i.object == object)?.value;
        Some((object, pointer, offset))
    }
}

/// The operation stores a spilled value.
fn saves(code: &Code, op: &Op) -> bool {
    op.access.is_some_and(|a| a.store && code.objects[a.object].name == NAME)
}

/// An access at a distance from a pointer; operands by their roles in the semantics.
struct Accessor {
    instruction: InstructionId,
    pointer: String,
    offset: String,
    data: Option<String>,
}

fn sum(e: &Expression) -> Option<(String, String)> {
    match e {
        Expression::Binary(Operator::Add, a, b) => match (a.as_ref(), b.as_ref()) {
            (Expression::Name(a), Expression::Name(b)) => Some((a.clone(), b.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// Names of the pointer, of the distance and of what is stored.
type Names = (String, String, Option<String>);

fn accessor(isa: &Isa, found: &dyn Fn(&Statement) -> Option<Names>) -> Option<Accessor> {
    isa.instructions.iter().enumerate().find_map(|(k, i)| {
        let [statement] = i.semantics.as_slice() else { return None };
        let (pointer, offset, data) = found(statement)?;
        let number = i.uses.iter().any(|u| {
            u.name == offset && matches!(u.kind, OperandKind::Immediate(low, high) if low <= 0 && high >= 255)
        });
        number.then_some(Accessor { instruction: k as InstructionId, pointer, offset, data })
    })
}

fn saver(isa: &Isa, class: usize) -> Option<Accessor> {
    let bits = isa.word_bits;
    let of = |name: &String, i: &str| *name == *i;
    accessor(isa, &|s| match s {
        Statement::Store(width, address, Expression::Name(data)) if *width == bits => {
            let (pointer, offset) = sum(address)?;
            let right = isa.instructions.iter().any(|i| {
                i.semantics == [s.clone()]
                    && i.uses.iter().any(|u| of(data, &u.name) && u.kind == OperandKind::Register(class))
            });
            right.then_some((pointer, offset, Some(data.clone())))
        }
        _ => None,
    })
}

fn loader(isa: &Isa, class: usize) -> Option<Accessor> {
    use crate::semantics::Function;
    let bits = isa.word_bits;
    accessor(isa, &|s| match s {
        Statement::Assign(d, Expression::Call(Function::Load(width), address)) if *width == bits => {
            let (pointer, offset) = sum(address.first()?)?;
            let right = isa.instructions.iter().any(|i| {
                i.semantics == [s.clone()]
                    && i.defines.len() == 1
                    && i.defines[0].name == *d
                    && i.defines[0].kind == OperandKind::Register(class)
            });
            right.then_some((pointer, offset, None))
        }
        _ => None,
    })
}

fn fill(isa: &Isa, accessor: Accessor, pointer: ValueId, offset: i64, data: Option<ValueId>) -> Op {
    let instruction = &isa.instructions[accessor.instruction as usize];
    let operand = |name: &String| {
        if *name == accessor.pointer {
            Use::Value(pointer)
        } else if *name == accessor.offset {
            Use::Immediate(offset)
        } else {
            debug_assert_eq!(accessor.data.as_ref(), Some(name));
            data.map_or(Use::Zero, Use::Value)
        }
    };
    let uses = instruction.uses.iter().map(|u| operand(&u.name)).collect();
    Op { instruction: accessor.instruction, defines: vec![], uses, guard: None, access: None, places: vec![] }
}
