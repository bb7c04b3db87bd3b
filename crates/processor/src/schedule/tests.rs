use program::generate::Random;

use super::*;
use crate::bounds;
use crate::check::check;
use crate::samples;

#[test]
fn schedules_of_random_graphs_are_legal_and_not_below_the_bound() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let ops = 1 + random.below(120);
        let (graph, resources) = (samples::random(&mut random, ops, false), samples::narrow(&mut random));
        if bounds::verify(&graph, &resources).is_err() {
            continue;
        }
        let found = list(&graph, &resources, &List { restarts: 20, seed });
        check(&graph, &resources, &found.schedule).unwrap();
        assert!(found.schedule.length() >= found.bound.cycles, "seed {seed}");
    }
}

#[test]
fn schedules_of_tiny_graphs_are_as_short_as_the_shortest() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let ops = 1 + random.below(6);
        let (graph, resources) = (samples::random(&mut random, ops, false), samples::narrow(&mut random));
        if bounds::verify(&graph, &resources).is_err() {
            continue;
        }
        let found = list(&graph, &resources, &List { restarts: 200, seed }).schedule.length();
        assert_eq!(Some(found), samples::shortest(&graph, &resources, None, 40), "seed {seed}");
    }
}

#[test]
fn four_tables_are_as_short_as_the_best_known() {
    let graph = samples::four_tables();
    assert_eq!(graph.classes.len(), 696);
    let found = list(&graph, &samples::mckinley(1), &List::default());
    assert_eq!((found.schedule.length(), found.bound.cycles), (126, 126));
    let found = list(&graph, &samples::mckinley(2), &List { restarts: 0, seed: 1 });
    assert_eq!((found.schedule.length(), found.bound.cycles), (119, 118));
}

#[test]
fn the_seed_alone_decides() {
    let mut random = Random::new(7);
    let (graph, resources) = (samples::random(&mut random, 200, false), samples::mckinley(2));
    let options = List { restarts: 50, seed: 3 };
    assert_eq!(list(&graph, &resources, &options), list(&graph, &resources, &options));
}

#[test]
fn nothing_to_schedule() {
    let found = list(&crate::graph::Graph::default(), &samples::mckinley(1), &List::default());
    assert_eq!((found.schedule.length(), found.bound.cycles), (0, 0));
}

#[test]
fn pipelines_of_random_loops_are_legal_and_not_below_the_bound() {
    let mut at_bound = 0;
    for seed in 0..80 {
        let mut random = Random::new(seed);
        let ops = 2 + random.below(60);
        let (graph, resources) = (samples::random(&mut random, ops, true), samples::narrow(&mut random));
        if bounds::verify(&graph, &resources).is_err() {
            continue;
        }
        let branch = random.chance(50).then_some(ops as u32 - 1).filter(|b| graph.edges.iter().all(|e| e.from != *b));
        let options = Modulo { attempts: 5, seed, branch };
        let found = modulo(&graph, &resources, &lifetimes::values(&graph), &options);
        let mut free = graph.clone();
        free.edges.retain(|e| Some(e.to) != branch);
        check(&free, &resources, &found.schedule).unwrap();
        let interval = found.schedule.interval.unwrap();
        assert!(interval >= found.bound.cycles, "seed {seed}");
        if let Some(branch) = branch {
            let cycle = found.schedule.cycles[branch as usize];
            assert_eq!(cycle % interval, interval - 1);
            assert!(found.schedule.cycles.iter().all(|c| *c <= cycle));
        }
        at_bound += u32::from(interval == found.bound.cycles);
    }
    assert!(at_bound > 60, "{at_bound} of 80 at the bound");
}

#[test]
fn intervals_of_tiny_loops_are_the_smallest() {
    let (mut smallest, mut tried) = (0, 0);
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let ops = 2 + random.below(4);
        let (graph, resources) = (samples::random(&mut random, ops, true), samples::narrow(&mut random));
        if bounds::verify(&graph, &resources).is_err() {
            continue;
        }
        let options = Modulo { attempts: 30, seed, branch: None };
        let found = modulo(&graph, &resources, &lifetimes::values(&graph), &options);
        let fits = |interval| samples::shortest(&graph, &resources, Some(interval), 14).is_some();
        let interval = (1..).find(|i| fits(*i)).unwrap();
        let (got, bound) = (found.schedule.interval.unwrap(), found.bound.cycles);
        assert!(bound <= interval && interval <= got, "seed {seed}: bound {bound}, best {interval}, found {got}");
        (smallest, tried) = (smallest + u32::from(interval == got), tried + 1);
    }
    assert!(smallest >= tried - 2, "{smallest} of {tried}");
}

#[test]
fn shorter_lifetimes_keep_schedules_legal_and_as_long() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let graph = samples::random(&mut random, 80, false);
        let resources = samples::mckinley(2);
        let found = list(&graph, &resources, &List { restarts: 2, seed }).schedule;
        let values = lifetimes::values(&graph);
        let shorter = lifetimes::shortened(&graph, &resources, &found, &values, None);
        check(&graph, &resources, &shorter).unwrap();
        assert!(shorter.length() <= found.length());
        assert!(lifetimes::total(&shorter, &values) <= lifetimes::total(&found, &values));
    }
}

#[test]
fn loads_move_to_their_consumers() {
    let graph = samples::four_tables();
    let resources = samples::mckinley(1);
    let found = list(&graph, &resources, &List::default()).schedule;
    let values = lifetimes::values(&graph);
    let shorter = lifetimes::shortened(&graph, &resources, &found, &values, None);
    let (before, after) = (lifetimes::pressure(&found, &values, 0), lifetimes::pressure(&shorter, &values, 0));
    assert!(after < before && after <= 24, "{before} values live before, {after} after");
}

#[test]
fn limits_on_registers_are_kept_or_the_excess_is_said() {
    let graph = samples::four_tables();
    let resources = samples::mckinley(2);
    let values = lifetimes::values(&graph);
    for (registers, live, cycles) in [(28, 28, 119), (16, 16, 140), (12, 13, 300)] {
        let limits = [Limit { kind: 0, registers }];
        let found = list_within(&graph, &resources, &values, &limits, &List { restarts: 8, seed: 1 });
        check(&graph, &resources, &found.schedule).unwrap();
        let most = lifetimes::pressure(&found.schedule, &values, 0);
        assert_eq!(excess(&found.schedule, &values, &limits), most.saturating_sub(registers));
        assert!(most <= live && found.schedule.length() <= cycles, "{most} live in {}", found.schedule.length());
    }
}

#[test]
fn a_round_of_four_tables_takes_twelve_cycles() {
    let graph = samples::four_tables_round();
    assert_eq!(graph.classes.len(), 69);
    // One shifter is busy in every cycle of twelve: a solver finds that, this scheduler stops at thirteen.
    for (shifters, attempts, interval) in [(1, 10, 13), (2, 40, 12)] {
        let resources = samples::mckinley(shifters);
        let options = Modulo { attempts, seed: 1, branch: Some(68) };
        let found = modulo(&graph, &resources, &lifetimes::values(&graph), &options);
        check(&graph, &resources, &found.schedule).unwrap();
        let reached = found.schedule.interval.unwrap();
        assert_eq!(found.bound.cycles, 12);
        assert!(reached <= interval, "{shifters} shifters: {reached}");
        assert_eq!(found.schedule.cycles[68] % reached, reached - 1);
        assert!(found.stages <= 2, "{} stages", found.stages);
    }
}

#[test]
fn a_single_register_is_taken_only_when_its_user_can_follow() {
    // Forty rotations by a shift-amount register: each waits for a long chain, its amount is there from the start.
    let (mut classes, mut edges, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut last = None;
    for _ in 0..40 {
        let at = classes.len() as u32;
        classes.extend([samples::A; 4]);
        let edge = |from, to| crate::graph::Edge { from, to, latency: 1, distance: 0 };
        edges.extend([edge(at, at + 1), edge(at + 1, at + 3), edge(at + 2, at + 3)]);
        edges.extend(last.map(|last| edge(last, at)));
        values.push(Lifetime { kind: 1, from: Some(at + 2), to: vec![(at + 3, 0)], outlives: false });
        last = Some(at + 3);
    }
    let graph = crate::graph::Graph { classes, edges };
    let limits = [Limit { kind: 1, registers: 1 }];
    let found = list_within(&graph, &samples::mckinley(2), &values, &limits, &List { restarts: 8, seed: 1 });
    check(&graph, &samples::mckinley(2), &found.schedule).unwrap();
    assert_eq!((excess(&found.schedule, &values, &limits), found.schedule.length()), (0, 120));
}
