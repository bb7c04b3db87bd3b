//! The text of functions that add up columns of bits.

use std::fmt::Write;

use super::Form;

/// The text of the function of a form.
pub(super) fn function(width: u8, form: &Form) -> String {
    let w = usize::from(width);
    let mut columns = Columns { text: String::new(), bits: vec![Vec::new(); w + 1], count: 0 };
    let second = if *form == Form::Product { format!(", %y: u{width}") } else { String::new() };
    let _ = writeln!(columns.text, "\nfunc @{}(%x: u{width}{second}) -> (u{width}) {{", form.name(width));
    columns.extracts("x", w);
    match form {
        Form::Product => columns.product(w),
        Form::Square { square, linear, constant } => columns.square(w, *square, *linear, *constant),
    }
    columns.reduce(w);
    columns.finish(width);
    columns.text
}

struct Columns {
    text: String,
    /// Names of the bits of each weight; what stands beyond the width is dropped.
    bits: Vec<Vec<String>>,
    /// Adders so far.
    count: usize,
}

impl Columns {
    fn extracts(&mut self, word: &str, width: usize) {
        for k in 0..width {
            let _ = writeln!(self.text, "  %{word}{k}: u1 = extract %{word}, {k}");
        }
    }

    fn product(&mut self, width: usize) {
        self.extracts("y", width);
        for i in 0..width {
            for j in 0..width - i {
                let _ = writeln!(self.text, "  %x{i}y{j}: u1 = and %x{i}, %y{j}");
                self.bits[i + j].push(format!("%x{i}y{j}"));
            }
        }
    }

    fn square(&mut self, width: usize, square: u64, linear: u64, constant: u64) {
        let ones = |number: u64| (0..64).filter(move |k| number >> k & 1 == 1);
        self.bits
            .iter_mut()
            .enumerate()
            .filter(|(k, _)| constant.checked_shr(*k as u32).unwrap_or(0) & 1 == 1)
            .for_each(|(_, column)| column.push("1".to_owned()));
        for i in 0..width {
            let weights = ones(linear).map(|k| i + k).chain(ones(square).map(|k| 2 * i + k));
            weights.filter(|&weight| weight < width).for_each(|weight| self.bits[weight].push(format!("%x{i}")));
        }
        for k in ones(square) {
            for i in 0..width {
                for j in i + 1..width.saturating_sub(i + 1 + k) {
                    let _ = writeln!(self.text, "  %x{i}x{j}: u1 = and %x{i}, %x{j}");
                    self.bits[i + j + 1 + k].push(format!("%x{i}x{j}"));
                }
            }
        }
    }

    /// Adds bits up until no column has more than two.
    fn reduce(&mut self, width: usize) {
        let mut heights = vec![2];
        while heights.last() < self.bits.iter().map(Vec::len).max().as_ref() {
            heights.push(heights[heights.len() - 1] * 3 / 2);
        }
        for height in heights.into_iter().rev().skip(1) {
            for column in 0..width {
                while self.bits[column].len() > height {
                    self.add(column, if self.bits[column].len() == height + 1 { 2 } else { 3 }, column + 1 < width);
                }
            }
        }
    }

    /// Adds the first bits of a column, two or three.
    fn add(&mut self, column: usize, bits: usize, carries: bool) {
        let n = self.count;
        self.count += 1;
        let bits: Vec<String> = self.bits[column].drain(..bits).collect();
        let half = if bits.len() == 2 { format!("sum{n}") } else { format!("half{n}") };
        let _ = writeln!(self.text, "  %{half}: u1 = xor {}, {}", bits[0], bits[1]);
        if let Some(third) = bits.get(2) {
            let _ = writeln!(self.text, "  %sum{n}: u1 = xor %half{n}, {third}");
        }
        self.bits[column].push(format!("%sum{n}"));
        if carries {
            let both = if bits.len() == 2 { format!("carry{n}") } else { format!("both{n}") };
            let _ = writeln!(self.text, "  %{both}: u1 = and {}, {}", bits[0], bits[1]);
            if let Some(third) = bits.get(2) {
                let _ = writeln!(self.text, "  %through{n}: u1 = and %half{n}, {third}");
                let _ = writeln!(self.text, "  %carry{n}: u1 = or %both{n}, %through{n}");
            }
            self.bits[column + 1].push(format!("%carry{n}"));
        }
    }

    /// The sum of what is left: two words.
    fn finish(&mut self, width: u8) {
        let _ = writeln!(self.text, "  %zero: u1 = const 0");
        let _ = writeln!(self.text, "  %one: u1 = const 1");
        for (row, word) in ["a", "b"].iter().enumerate() {
            let bit = |column: &Vec<String>| match column.get(row).map(String::as_str) {
                None => "%zero".to_owned(),
                Some("1") => "%one".to_owned(),
                Some(name) => name.to_owned(),
            };
            let bits: Vec<String> = self.bits[..usize::from(width)].iter().map(bit).collect();
            let _ = writeln!(self.text, "  %{word}: u{width} = concat {}", bits.join(", "));
        }
        let _ = writeln!(self.text, "  %r: u{width} = add %a, %b\n  return %r\n}}");
    }
}
