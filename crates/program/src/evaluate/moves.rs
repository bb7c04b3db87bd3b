//! Puts moves that happen at the same time into an order.

/// Orders moves `(to, from)` with different targets so that none overwrites what a later one reads; `spare` gives a free place.
pub(super) fn in_order(mut moves: Vec<(u32, u32)>, mut spare: impl FnMut() -> u32) -> Vec<(u32, u32)> {
    let mut ordered = Vec::with_capacity(moves.len());
    moves.retain(|(to, from)| to != from);
    while !moves.is_empty() {
        let free = moves.iter().position(|&(to, _)| moves.iter().all(|&(_, from)| from != to));
        match free {
            Some(n) => ordered.push(moves.remove(n)),
            None => {
                // Only circles are left: one value waits in the spare place.
                let (place, waiting) = (spare(), moves[0].1);
                ordered.push((place, waiting));
                moves.iter_mut().filter(|(_, from)| *from == waiting).for_each(|(_, from)| *from = place);
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::in_order;

    /// Every way to fill 5 places from 5 places, against an assignment done at once.
    #[test]
    fn ordered_moves_equal_moves_at_once() {
        for code in 0..5u32.pow(5) {
            let from: Vec<u32> = (0..5).map(|n| code / 5u32.pow(n) % 5).collect();
            let moves: Vec<(u32, u32)> = from.iter().enumerate().map(|(to, &from)| (to as u32, from)).collect();
            let mut memory: Vec<u32> = (100..105).collect();
            let expected: Vec<u32> = from.iter().map(|&f| memory[f as usize]).collect();
            let mut size = 5;
            let ordered = in_order(moves, || {
                size += 1;
                size - 1
            });
            memory.resize(size as usize, 0);
            for (to, from) in ordered {
                memory[to as usize] = memory[from as usize];
            }
            assert_eq!(memory[..5], expected[..]);
        }
    }
}
