use super::*;

fn never() -> bool {
    false
}

/// Multiplication by 2 of one AES column, as a matrix on 32 bits.
fn mix_columns() -> Matrix {
    let double = |k: usize| if k == 7 { 0x1bu128 } else { 1 << (k + 1) };
    let mut rows = vec![0u128; 32];
    for column in 0..32 {
        let (byte, bit) = (column / 8, column % 8);
        for to in 0..4 {
            let factor = [2, 3, 1, 1][(byte + 4 - to) % 4];
            let two = if factor > 1 { double(bit) } else { 0 };
            let one = if factor != 2 { 1 << bit } else { 0 };
            for k in (0..8).filter(|k| (two ^ one) >> k & 1 == 1) {
                rows[8 * to + k] |= 1 << column;
            }
        }
    }
    Matrix::new(32, rows).unwrap()
}

fn random_matrix(inputs: usize, rows: usize, random: &mut Random) -> Matrix {
    let rows = (0..rows).map(|_| u128::from(random.word()) & ((1 << inputs) - 1)).collect();
    Matrix::new(inputs, rows).unwrap()
}

#[test]
fn programs_of_random_matrices_multiply_out_to_them() {
    let mut random = Random::new(7);
    for trial in 0..40 {
        let matrix = random_matrix(4 + trial % 9, 3 + trial % 7, &mut random);
        for start in 0..4 {
            let options = Options { patience: 200, ..Options::default() };
            let program = attempt(&matrix, &options, start, &never).unwrap();
            program.check(&matrix).unwrap();
            assert!(program.steps.len() <= matrix.naive_cost());
        }
    }
}

#[test]
fn tiny_matrices_get_the_proved_fewest() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let matrix = random_matrix(5, 4, &mut random);
        let program = minimize(&matrix, &Options { patience: 500, ..Options::default() }, &never).unwrap();
        let least = exhaustive::shortest(&matrix, program.steps.len()).expect("the program is one");
        assert_eq!(program.steps.len(), least.len(), "{matrix:?}");
        XorProgram::of_sums(&matrix, &least, &[]).unwrap().check(&matrix).unwrap();
    }
}

#[test]
fn limits_and_arrival_are_kept() {
    let mut random = Random::new(5);
    for _ in 0..20 {
        let matrix = random_matrix(8, 8, &mut random);
        let arrival: Vec<u32> = (0..8).map(|_| random.below(3) as u32).collect();
        let limits: Vec<u32> = matrix.rows.iter().map(|&r| least_level(r, &arrival)).collect();
        let options = Options { arrival: arrival.clone(), limits: limits.clone(), patience: 300, ..Options::default() };
        let program = minimize(&matrix, &options, &never).unwrap();
        program.check(&matrix).unwrap();
        let levels = program.levels(&arrival);
        assert!(program.outputs.iter().zip(&limits).all(|(w, &l)| w.map_or(true, |w| levels[w] <= l)));
    }
}

#[test]
fn a_limit_that_nothing_keeps_is_refused() {
    let matrix = Matrix::new(5, vec![0b11111]).unwrap();
    let error = minimize(&matrix, &Options { limits: vec![2], ..Options::default() }, &never).unwrap_err();
    assert_eq!(error.message, "output 0 cannot be there at level 2");
}

#[test]
fn mix_columns_is_far_below_the_plain_program() {
    let matrix = mix_columns();
    assert_eq!(matrix.naive_cost(), 152);
    let program = minimize(&matrix, &Options { starts: 1, patience: 100, ..Options::default() }, &never).unwrap();
    program.check(&matrix).unwrap();
    assert!(program.steps.len() <= 108, "{}", program.steps.len());
}

#[test]
fn a_wrong_program_is_named() {
    let matrix = Matrix::new(3, vec![0b111, 0]).unwrap();
    let mut program = minimize(&matrix, &Options::default(), &never).unwrap();
    program.outputs[1] = Some(0);
    let error = |program: &XorProgram| program.check(&matrix).unwrap_err().to_string();
    assert_eq!(error(&program), "error[C112]: output 1 has a wrong coefficient of input 0");
    program.outputs.pop();
    assert_eq!(error(&program), "error[C117]: the program has not the matrix's shape");
}
