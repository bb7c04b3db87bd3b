//! Many runs in one call.

use crate::simulate::common::{machine, BASE};
use processor::simulate::Variation;

#[test]
fn a_distribution_runs_every_input() {
    let text = "
again:
{ .mii
	ld4 r8 = [r32]
	nop.i 0
	nop.i 0 ;;
}
{ .mii
	cmp.ltu p6, p7 = r0, r8
	nop.i 0
	nop.i 0 ;;
}
{ .mib
(p6)	adds r8 = -1, r8
	nop.i 0
	nop.b 0 ;;
}
{ .mib
(p6)	st4 [r32] = r8
	nop.i 0
(p6)	br.cond.sptk.few again ;;
}
";
    let machine = machine("mckinley", text);
    let data: Vec<u8> = [0u32, 1, 2, 5].iter().flat_map(|w| w.to_le_bytes()).collect();
    let variation = Variation { offset: 0, bytes: 4, data: &data };
    let cycles = machine.distribution(&[BASE], BASE, &[0; 8], &[variation], 0..4).expect("it runs");
    assert_eq!(cycles, [4, 8, 12, 24]);
}
