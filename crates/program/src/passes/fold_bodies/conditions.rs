//! Which iterations run which body, as bits of few words.

/// Words of which iteration `t` sees bits shifted down by `t`.
pub struct Words {
    /// Of each word what it begins with, and its width.
    pub list: Vec<(u64, u8)>,
    /// Of each condition its word and the bit of it.
    pub places: Vec<(usize, u8)>,
}

impl Words {
    /// Words for the conditions that an iteration runs each of some bodies; `None` if a word has too few bits.
    pub fn of(pattern: &[u8], bodies: &[usize]) -> Option<Words> {
        let mut known: Vec<[Option<bool>; 64]> = Vec::new();
        let mut places = Vec::new();
        let last = 64usize.checked_sub(pattern.len())?;
        for &body in bodies {
            let runs: Vec<bool> = pattern.iter().map(|&b| usize::from(b) == body).collect();
            let fits = |word: &[Option<bool>; 64], at: usize| {
                runs.iter().zip(&word[at..]).all(|(run, bit)| bit.map_or(true, |b| b == *run))
            };
            let found = (0..known.len()).flat_map(|w| (0..=last.min(8)).map(move |at| (w, at)));
            let (word, at) = found.clone().find(|&(w, at)| fits(&known[w], at)).unwrap_or((known.len(), 1.min(last)));
            if word == known.len() {
                known.push([None; 64]);
            }
            runs.iter().zip(&mut known[word][at..]).for_each(|(run, bit)| *bit = Some(*run));
            places.push((word, at as u8));
        }
        let number = |word: &[Option<bool>; 64]| {
            let bits = word.iter().enumerate().filter(|(_, b)| **b == Some(true));
            bits.fold(0u64, |n, (k, _)| n | 1 << k)
        };
        let width = |n: u64| if n >> 32 == 0 { 32 } else { 64 };
        let list = known.iter().map(|w| (number(w), width(number(w)))).collect();
        Some(Words { list, places })
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn conditions_at_a_distance_share_a_word() {
        let pattern = [0, 1, 2, 2, 0, 1, 2, 2];
        let words = Words::of(&pattern, &[0, 1]).unwrap();
        assert_eq!(words.list.len(), 1);
        for (condition, &(word, bit)) in words.places.iter().enumerate() {
            for (t, &body) in pattern.iter().enumerate() {
                let seen = words.list[word].0 >> t >> bit & 1 == 1;
                assert_eq!(seen, usize::from(body) == condition);
            }
        }
    }
}
