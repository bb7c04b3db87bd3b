use super::{Access, Branches, Cache, Instruction, Machine, MicroOp, Model};

pub fn model() -> Model {
    Model {
        decoders: vec![4, 1, 1],
        simple_bytes: 8,
        fetch: 16,
        queue: 6,
        rename: 3,
        permanent_reads: 2,
        reorder: 40,
        stations: 20,
        retire: 3,
        forward: 3,
        partial: true,
        cache: None,
        instruction_cache: None,
        branches: None,
    }
}

pub fn op(ports: u8, latency: u32, reads: &[u8], writes: &[u8]) -> MicroOp {
    MicroOp { ports, latency, reads: reads.to_vec(), writes: writes.to_vec(), part: false, narrow: false, access: None }
}

pub fn one(operations: Vec<MicroOp>) -> Instruction {
    Instruction { bytes: 2, operations, size: 4, branch: false }
}

fn cycles(model: Model, code: Vec<Instruction>) -> u64 {
    let order: Vec<u32> = (0..code.len() as u32).collect();
    Machine::new(model, code).unwrap().run(&order, &[])[0].cycles
}

#[test]
fn a_chain_takes_its_latencies() {
    let chain = |n, latency| cycles(model(), (0..n).map(|_| one(vec![op(3, latency, &[0], &[0])])).collect());
    assert_eq!(chain(20, 1) - chain(10, 1), 10);
    assert_eq!(chain(20, 4) - chain(10, 4), 40);
}

#[test]
fn ports_limit_what_does_not_depend() {
    let many = |n, ports| cycles(model(), (0..n).map(|k| one(vec![op(ports, 1, &[], &[k % 7])])).collect());
    assert_eq!(many(60, 1) - many(30, 1), 30);
    assert_eq!(many(60, 3) - many(30, 3), 15);
}

#[test]
fn three_are_renamed_where_ports_suffice() {
    let many = |n: u8| cycles(model(), (0..n).map(|k| one(vec![op(1 << (k % 3), 1, &[], &[k % 7])])).collect());
    assert_eq!(many(90) - many(60), 10);
}

#[test]
fn two_operations_go_to_the_first_decoder() {
    let pair = |k: u8| one(vec![op(4, 1, &[], &[16]), op(3, 1, &[16], &[k % 7])]);
    let pairs = |n: u8| cycles(model(), (0..n).map(pair).collect());
    assert_eq!(pairs(40) - pairs(20), 20, "one pair a cycle");
}

#[test]
fn long_instructions_wait_for_their_bytes() {
    let long = |n: u8| {
        let code = (0..n).map(|k| Instruction { bytes: 8, ..one(vec![op(1 << (k % 3), 1, &[], &[k % 7])]) });
        cycles(model(), code.collect())
    };
    assert_eq!(long(60) - long(30), 15, "two of 8 bytes a cycle");
}

#[test]
fn a_third_old_register_waits() {
    let read = |k: u8| one(vec![op(1 << (k % 3), 1, &[k % 7], &[8 + k % 7])]);
    let code = |n: u8| cycles(model(), (0..n).map(read).collect());
    assert_eq!(code(60) - code(30), 15, "two a cycle");
    let free = |n: u8| cycles(Model { permanent_reads: 9, ..model() }, (0..n).map(read).collect());
    assert_eq!(free(60) - free(30), 10);
}

#[test]
fn the_reorder_buffer_ends_what_can_be_overlapped() {
    let slow = one(vec![op(1, 50, &[], &[0])]);
    let mut code = vec![slow.clone()];
    code.extend((0..60).map(|k| one(vec![op(1 << (k % 3), 1, &[], &[1 + k % 6])])));
    code.push(slow);
    let wide = cycles(Model { reorder: 400, stations: 400, ..model() }, code.clone());
    assert!(cycles(model(), code) > wide + 10);
}

#[test]
fn a_part_is_read_as_a_whole_after_retirement() {
    let part = MicroOp { part: true, ..op(3, 1, &[0], &[0]) };
    let code = vec![one(vec![part]), one(vec![op(3, 1, &[0], &[1])])];
    assert!(cycles(model(), code.clone()) > cycles(Model { partial: false, ..model() }, code));
}

#[test]
fn a_load_finds_the_data_of_a_store() {
    let store = |r: u8| {
        let access = |a, reads: &[u8], ports| MicroOp { access: Some(a), ..op(ports, 1, reads, &[]) };
        one(vec![access(Access::Address, &[], 8), access(Access::Data, &[r], 16)])
    };
    let load = |r: u8| one(vec![MicroOp { access: Some(Access::Load), ..op(4, 3, &[], &[r]) }]);
    let slow = one(vec![op(1, 20, &[], &[1])]);
    let machine = Machine::new(model(), vec![slow, store(1), load(2)]).unwrap();
    let at = |addresses: Vec<u64>| machine.run(&[0, 1, 2], &[addresses])[0].cycles;
    assert_eq!(at(vec![0, 100, 102]), at(vec![0, 100, 104]) + 3, "it starts when the data are there");
}

#[test]
fn misses_take_longer_and_are_counted() {
    let cache = Some(Cache { bytes: 64, line: 32, ways: 1, miss: 20 });
    let load = one(vec![MicroOp { access: Some(Access::Load), ..op(4, 3, &[], &[2]) }]);
    let machine = Machine::new(Model { cache, ..model() }, vec![load]).unwrap();
    let runs = machine.run(&[0], &[vec![0], vec![31], vec![64], vec![0]]);
    assert_eq!(runs.iter().map(|run| run.misses).collect::<Vec<_>>(), [1, 0, 1, 1]);
    assert_eq!(runs[0].cycles, runs[1].cycles + 17);
}

/// A loop whose body is chains on two ports, with as many iterations.
fn iterations(body: u32, count: usize) -> (Vec<Instruction>, Vec<u32>) {
    let mut code: Vec<Instruction> =
        (0..body).map(|k| one(vec![op(1 << (k % 2), 1, &[(k % 2) as u8], &[(k % 2) as u8])])).collect();
    code.push(Instruction { branch: true, ..one(vec![op(2, 1, &[1], &[])]) });
    code.push(one(vec![op(1, 1, &[0], &[0])]));
    let mut order: Vec<u32> = (0..count).flat_map(|_| 0..=body).collect();
    order.push(body + 1);
    (code, order)
}

#[test]
fn a_taken_branch_costs_its_cycles() {
    let of = |taken, count| {
        let (code, order) = iterations(5, count);
        let branches = Some(Branches { taken, mispredicted: 0 });
        Machine::new(Model { branches, ..model() }, code).unwrap().run(&order, &[])[0].cycles
    };
    // Six instructions of two bytes: an iteration is a block, fetched once more behind each branch.
    assert_eq!(of(4, 40) - of(4, 20), 20 * 5);
    assert!(of(0, 40) < of(4, 40));
}

#[test]
fn the_end_of_a_loop_is_mispredicted() {
    let of = |mispredicted| {
        let (code, order) = iterations(9, 10);
        let branches = Some(Branches { taken: 0, mispredicted });
        Machine::new(Model { branches, ..model() }, code).unwrap().run(&order, &[])[0].cycles
    };
    assert_eq!(of(20) - of(10), 10);
}

#[test]
fn text_that_does_not_fit_misses_in_every_run() {
    let long = |n: u32| -> Vec<Instruction> {
        (0..n).map(|k| one(vec![op(1 << (k % 3), 1, &[], &[(k % 7) as u8])])).collect()
    };
    let runs = |n: u32| {
        let instruction_cache = Some(Cache { bytes: 128, line: 32, ways: 4, miss: 10 });
        let order: Vec<u32> = (0..n).collect();
        let machine = Machine::new(Model { instruction_cache, ..model() }, long(n)).unwrap();
        machine.run(&order, &[vec![0; n as usize], vec![0; n as usize]])
    };
    let (fits, too_long) = (runs(64), runs(80));
    assert_eq!(fits.iter().map(|run| run.text_misses).collect::<Vec<_>>(), [4, 0]);
    assert_eq!(too_long.iter().map(|run| run.text_misses).collect::<Vec<_>>(), [5, 5]);
    assert!(fits[1].cycles + 20 < fits[0].cycles);
}

#[test]
fn what_cannot_be_decoded_is_refused() {
    let code = vec![one(vec![op(1, 1, &[], &[0]); 5])];
    let error = Machine::new(model(), code).unwrap_err();
    assert_eq!(error, "instruction 0 has 5 micro-operations, not 1 to 4");
}
