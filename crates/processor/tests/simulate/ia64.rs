//! Bundles and groups: cycles and stalls counted by hand.

use processor::simulate::Blocker;

use crate::simulate::common::{machine, run, BASE};

#[test]
fn stops_inside_and_at_the_end_of_bundles() {
    let text = "
{ .mmi
	ld4 r8 = [r32]		// 0
	adds r9 = 4, r32	// 0
	nop.i 0 ;;
}
{ .mmi
	ld4 r10 = [r9] ;;	// 1
	add r11 = r8, r10	// 2
	nop.i 0 ;;
}
{ .mib
	st4 [r33] = r11		// 3
	nop.i 0
	br.ret.sptk.many b0 ;;
}
";
    let (run, words) = run("mckinley", text, &[BASE, BASE + 8], &[3, 4, 0]);
    assert_eq!((run.cycles, run.operations, run.useful), (4, 9, 6));
    assert_eq!(words[2], 7);
    assert_eq!(run.stalls, Default::default());
}

#[test]
fn a_loaded_address_costs_one_cycle_more() {
    let text = "{ .mii\n ld8 r8 = [r32]\n nop.i 0\n nop.i 0 ;;\n}\n{ .mii\n ld4 r9 = [r8]\n nop.i 0\n nop.i 0 ;;\n}";
    let machine = machine("mckinley", text);
    let (run, _) = run("mckinley", text, &[BASE], &[BASE as u32 + 8, 0, 5]);
    assert_eq!((run.cycles, run.stalls.operand), (3, 1));
    let late = run.events.iter().find(|e| machine.listing.ops[e.op as usize].text.starts_with("ld4")).expect("it ran");
    assert_eq!((late.insert, late.issue, late.finish), (1, 2, 3));
    let Blocker::Operand(op, slot) = late.blocker else { panic!("{:?}", late.blocker) };
    assert_eq!((op, machine.listing.names.name(slot)), (0, "r8"));
}

#[test]
fn a_third_load_finds_no_port() {
    let text = "
{ .mmi
	ld4 r8 = [r32]
	ld4 r9 = [r33]
	nop.i 0
}
{ .mmi
	ld4 r10 = [r34]
	nop.m 0
	nop.i 0 ;;
}
";
    let (run, _) = run("mckinley", text, &[BASE, BASE, BASE], &[1]);
    assert_eq!((run.cycles, run.stalls.port), (2, 1));
    assert_eq!(run.events[3].issue, 1);
    assert_eq!(run.events[3].blocker, Blocker::Port(0b11));
}

#[test]
fn the_second_integer_slot_goes_to_the_second_port() {
    let text = "{ .mii\n nop.m 0\n add r8 = r32, r33\n extr.u r9 = r32, 8, 8 ;;\n}";
    assert_eq!(run("mckinley", text, &[1, 2], &[]).0.cycles, 2);
    assert_eq!(run("mckinley-paper", text, &[1, 2], &[]).0.cycles, 1);
    let first = "{ .mii\n nop.m 0\n extr.u r9 = r32, 8, 8\n add r8 = r32, r33 ;;\n}";
    assert_eq!(run("mckinley", first, &[1, 2], &[]).0.cycles, 1);
}

#[test]
fn the_window_is_two_bundles() {
    let bundle = "{ .mmf\n add r8 = r32, r33\n nop.m 0\n nop.f 0\n}\n";
    let other = bundle.replace("r8", "r9");
    let last = "{ .mii\n add r10 = r32, r33\n nop.i 0\n nop.i 0 ;;\n}\n";
    let text = format!("{bundle}{other}{last}");
    let (two, _) = run("mckinley", &text, &[1, 2], &[]);
    assert_eq!((two.cycles, two.stalls.window), (2, 1));
    assert_eq!(run("four-banger", &text, &[1, 2], &[]).0.cycles, 1);
    assert_eq!(run("mckinley-infinite", &text, &[1, 2], &[]).0.cycles, 1);
}

#[test]
fn a_long_immediate_after_the_rest_of_a_bundle() {
    let text = "
{ .mii
	add r8 = r32, r33
	add r9 = r32, r33 ;;
	add r10 = r32, r33
}
{ .mlx
	add r11 = r32, r33
	movl r14 = 2654435769 ;;
}
";
    assert_eq!(run("mckinley", text, &[1, 2], &[]).0.cycles, 2);
    assert_eq!(run("mckinley", &text.replace("r33 ;;", "r33"), &[1, 2], &[]).0.cycles, 2);
}

#[test]
fn nops_take_their_slots() {
    let text = "{ .mii\n nop.m 0\n add r8 = r32, r33\n nop.i 0\n}\n{ .mii\n nop.m 0\n nop.i 0\n nop.i 0 ;;\n}";
    let (run, _) = run("mckinley", text, &[1, 2], &[]);
    assert_eq!((run.cycles, run.stalls.port), (2, 1));
}

#[test]
fn a_product_and_a_rotation_through_the_multiplier() {
    // t = (B * (2 B + 1)) <<< 5 by the floating-point multiplier.
    let text = "
{ .mmi
	ld4 r8 = [r32] ;;		// 0
	setf.sig f6 = r8		// 2: a loaded value is late
	add r9 = r8, r8, 1 ;;		// 2
}
{ .mmf
	setf.sig f7 = r9 ;;		// 3
	nop.m 0
	xma.l f8 = f6, f7, f0 ;;	// 8
}
{ .mii
	getf.sig r10 = f8 ;;		// 12
	zxt4 r11 = r10			// 17
	dep.z r12 = r10, 32, 32 ;;
}
{ .mii
	nop.m 0
	shrp r13 = r11, r12, 59 ;;	// 18
	nop.i 0
}
{ .mib
	st4 [r33] = r13			// 19
	nop.i 0
	br.ret.sptk.many b0 ;;
}
";
    let b = 0x9e37_79b9_u32;
    let (run, words) = run("mckinley-paper", text, &[BASE, BASE + 4], &[b, 0]);
    assert_eq!(words[1], b.wrapping_mul(b.wrapping_mul(2).wrapping_add(1)).rotate_left(5));
    assert_eq!(run.cycles, 20);
    assert_eq!(run.stalls.operand, 1 + 4 + 3 + 4);
}

#[test]
fn a_branch_may_use_the_predicate_of_its_own_group() {
    let text = "
{ .mib
	cmp.eq p6, p7 = r32, r33
	nop.i 0
(p6)	br.cond.sptk.few done ;;
}
{ .mii
	adds r8 = 1, r0
	nop.i 0
	nop.i 0 ;;
}
done:
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.many b0 ;;
}
";
    let (taken, _) = run("mckinley", text, &[5, 5], &[]);
    assert_eq!((taken.cycles, taken.operations), (2, 6));
    let (not, _) = run("mckinley", text, &[5, 6], &[]);
    assert_eq!((not.cycles, not.operations), (3, 9));
}

#[test]
fn complementary_predicates_may_write_one_register() {
    let text = "
{ .mmi
	cmp.eq p6, p7 = r32, r33 ;;
(p6)	adds r8 = 1, r0
(p7)	adds r8 = 2, r0 ;;
}
{ .mii
	st4 [r34] = r8
	nop.i 0
	nop.i 0 ;;
}
";
    assert_eq!(run("mckinley", text, &[5, 5, BASE], &[0]).1, [1]);
    assert_eq!(run("mckinley", text, &[5, 4, BASE], &[0]).1, [2]);
}
