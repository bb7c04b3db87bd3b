use super::*;
use circuit::sbox::SBox;

fn aes() -> SBox {
    let twist = |x: u8| x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4) ^ 0x63;
    SBox::new(8, (0..=255).map(|x| twist(field::inverse(x))).collect()).unwrap()
}

#[test]
fn a_plan_with_little_effort_computes_the_box() {
    let sbox = aes();
    let inversion = Inversion::of(&sbox).unwrap();
    let frame = Frame::number(&inversion, 115);
    let all = products();
    let outer = |left: u8, inner: u8| all.iter().find(|p| p.left == left && p.right == inner);
    let first = &all[0];
    let (inner, a, b) =
        (0..32).find_map(|i| Some((i, outer(first.left, i)?, outer(first.right, i)?))).expect("a layout");
    let norm = norms(&frame, &[first], &[], 1).remove(0);
    let question = Question { basis: norm.basis, classes: inner, arrival: [0; 4], limit: NEVER - 1 };
    let core = question.search(20, &mut Random::new(1), &|| false).unwrap();
    let options = Options { patience: 20, starts: 1, ..Options::default() };
    let bottom = shortest(&frame.bottom(a, b), &options, &[], Levels::FREE.last, &|| false).unwrap();
    let plan = Plan {
        inversion: &inversion,
        frame: &frame,
        product: first,
        norm: &norm,
        question: &question,
        core: &core,
        outer: [a, b],
        bottom: &bottom,
        options: &options,
        levels: &Levels::FREE,
    };
    let circuit = assemble(8, &plan.gates(), &sbox.tables()).unwrap();
    circuit.check(&sbox).unwrap();
    assert!(circuit.gates.len() <= 140, "{}", circuit.gates.len());
}
