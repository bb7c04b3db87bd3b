//! Random programs of byte vectors, as ciphers have them: rows of keys, S-boxes, matrices, permutations, loops, joined words.

use std::fmt::Write;

use program::generate::Random;

/// A program with `key_schedule` and `encrypt`: same seed, same text.
pub fn byte_program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let row = random.pick(&[4, 8, 16]);
    let mut text = String::from("program \"bytes\" {\n}\n\n");
    for name in ["S", "Q"] {
        let entries: Vec<String> = (0..256).map(|_| random.below(256).to_string()).collect();
        writeln!(text, "table @{name}: u8[256] = [{}]", entries.join(", ")).unwrap();
    }
    for (name, rows, columns) in [("M4", 4, 4), ("M8", 8, 8), ("M42", 4, 2), ("M24", 2, 4)] {
        let line = |random: &mut Random| {
            let factors: Vec<String> = (0..columns).map(|_| random.below(5).to_string()).collect();
            format!("[{}]", factors.join(", "))
        };
        let rows: Vec<String> = (0..rows).map(|_| line(&mut random)).collect();
        writeln!(text, "matrix @{name}: gf(0x11b) = [{}]", rows.join(", ")).unwrap();
    }
    text += &Writer::new(&mut random, row).key_schedule();
    text += &Writer::new(&mut random, row).encrypt();
    text
}

struct Writer<'a> {
    random: &'a mut Random,
    row: usize,
    next: usize,
    text: String,
    /// Byte vectors in reach.
    vectors: Vec<Vec<String>>,
    array: String,
}

impl<'a> Writer<'a> {
    fn new(random: &'a mut Random, row: usize) -> Self {
        Writer { random, row, next: 0, text: String::new(), vectors: Vec::new(), array: String::new() }
    }

    fn key_schedule(mut self) -> String {
        let row = self.row;
        self.array = "%W".into();
        self.input("key");
        writeln!(self.text, "  %W: u8[6][{row}] = array").unwrap();
        for place in 0..6 {
            if place > 2 {
                self.statement(1);
            }
            let line = self.of_length(row);
            let new = self.name();
            writeln!(self.text, "  {new}: u8[6][{row}] = store {}[{place}], {}", self.array, line.join(", ")).unwrap();
            self.array = new;
            if place > 0 && self.random.chance(40) {
                let loaded = self.names(row);
                let earlier = self.random.below(place);
                writeln!(self.text, "  {} = load {}[{earlier}]", typed(&loaded), self.array).unwrap();
                self.vectors.push(loaded);
            }
        }
        format!("func @key_schedule(%key: u8[16]) -> (u8[6][{row}]) {{\n{}  return {}\n}}\n\n", self.text, self.array)
    }

    fn encrypt(mut self) -> String {
        let row = self.row;
        self.array = "%W".into();
        self.input("p");
        for _ in 0..2 + self.random.below(6) {
            self.statement(2);
        }
        let out = self.of_length(16);
        writeln!(self.text, "  %out: u8[16] = array {}", out.join(", ")).unwrap();
        format!("func @encrypt(%W: u8[6][{row}], %p: u8[16]) -> (u8[16]) {{\n{}  return %out\n}}\n", self.text)
    }

    fn input(&mut self, from: &str) {
        let bytes = self.names(16);
        for (n, byte) in bytes.iter().enumerate() {
            writeln!(self.text, "  {byte}: u8 = load %{from}[{n}]").unwrap();
        }
        self.vectors.push(bytes);
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn names(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.name()).collect()
    }

    /// Some vector, cut or lengthened, sometimes permuted.
    fn of_length(&mut self, count: usize) -> Vec<String> {
        let mut lanes = self.random.pick(&self.vectors);
        while lanes.len() < count {
            lanes.extend(self.random.pick(&self.vectors));
        }
        let start = if self.random.chance(30) { self.random.below(lanes.len() - count + 1) } else { 0 };
        let mut lanes = lanes[start..start + count].to_vec();
        match self.random.below(6) {
            0 => lanes.rotate_left(self.random.below(count)),
            1 => lanes.reverse(),
            2 => (1..count).for_each(|n| lanes.swap(n, self.random.below(n + 1))),
            3 if count == 16 => lanes = (0..16).map(|n| lanes[5 * n % 16].clone()).collect(),
            _ => {}
        }
        lanes
    }

    fn count(&mut self) -> usize {
        self.random.pick(&[4, 4, 8, 8, 16, 5, 2])
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth > 0 { 12 } else { 10 }) {
            0..=2 => self.bitwise(),
            3..=4 => self.lookups(),
            5..=6 => self.product(),
            7 => self.words(),
            8 => self.chain(),
            9 => self.row_load("0"),
            _ => self.rounds(depth),
        }
    }

    fn bitwise(&mut self) {
        let count = self.count();
        let (a, b, new) = (self.of_length(count), self.of_length(count), self.names(count));
        let kind = self.random.pick(&["xor", "xor", "xor", "and", "or"]);
        let numbers = self.random.below(4);
        for n in 0..count {
            let other =
                if self.random.below(4) < numbers / 2 { self.random.below(256).to_string() } else { b[n].clone() };
            let (x, y) = if self.random.chance(20) { (other, a[n].clone()) } else { (a[n].clone(), other) };
            writeln!(self.text, "  {}: u8 = {kind} {x}, {y}", new[n]).unwrap();
        }
        self.vectors.push(new);
    }

    fn lookups(&mut self) {
        let count = self.count();
        let (a, new) = (self.of_length(count), self.names(count));
        let mixed = self.random.chance(30);
        let table = self.random.pick(&["S", "Q"]);
        for n in 0..count {
            let table = if mixed { self.random.pick(&["S", "Q"]) } else { table };
            writeln!(self.text, "  {}: u8 = lookup @{table}[{}]", new[n], a[n]).unwrap();
        }
        self.vectors.push(new);
    }

    fn product(&mut self) {
        let (matrix, rows, columns) =
            self.random.pick(&[("M4", 4, 4), ("M4", 4, 4), ("M8", 8, 8), ("M42", 4, 2), ("M24", 2, 4)]);
        let mut all = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let (a, new) = (self.of_length(columns), self.names(rows));
            writeln!(self.text, "  {} = linear @{matrix} {}", typed(&new), a.join(", ")).unwrap();
            all.extend(new);
        }
        self.vectors.push(all);
    }

    /// Bytes joined into words, a sum, and the bytes again.
    fn words(&mut self) {
        let bytes = self.random.pick(&[4, 4, 8, 2]);
        let mut all = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let (a, word, sum, new) = (self.of_length(bytes), self.name(), self.name(), self.names(bytes));
            writeln!(self.text, "  {word}: u{} = concat {}", 8 * bytes, a.join(", ")).unwrap();
            writeln!(self.text, "  {sum}: u{} = add {word}, {}", 8 * bytes, self.random.below(9)).unwrap();
            let backwards = self.random.chance(40);
            for (n, byte) in new.iter().enumerate() {
                let position = if backwards { bytes - 1 - n } else { n };
                writeln!(self.text, "  {byte}: u8 = extract {sum}, {}", 8 * position).unwrap();
            }
            all.extend(new);
        }
        self.vectors.push(all);
    }

    /// Lanes that need each other, so that they cannot all be made at once.
    fn chain(&mut self) {
        let count = self.count();
        let (a, b, new) = (self.of_length(count), self.of_length(count), self.names(count));
        for n in 0..count {
            let before = if n > 0 { new[n - 1].clone() } else { b[n].clone() };
            let entry = self.name();
            writeln!(self.text, "  {entry}: u8 = lookup @S[{before}]").unwrap();
            let other = self.random.pick(&[entry, b[n].clone()]);
            writeln!(self.text, "  {}: u8 = xor {}, {other}", new[n], a[n]).unwrap();
        }
        self.vectors.push(new);
    }

    fn row_load(&mut self, index: &str) {
        if self.array == "%W" && self.text.contains("%W: ") {
            return;
        }
        if self.array != "%W" {
            return;
        }
        let new = self.names(self.row);
        if self.random.chance(25) {
            for (n, byte) in new.iter().enumerate() {
                writeln!(self.text, "  {byte}: u8 = load %W[{index}][{n}]").unwrap();
            }
        } else {
            writeln!(self.text, "  {} = load %W[{index}]", typed(&new)).unwrap();
        }
        self.vectors.push(new);
    }

    fn rounds(&mut self, depth: usize) {
        let count = self.random.pick(&[4, 8, 16, 16, 6]);
        let (init, results) = (self.of_length(count), self.names(count));
        let bodies = 1 + self.random.below(2);
        writeln!(self.text, "  {} = rounds 4 \"i\" from 0 step 1 ({}) {{", typed(&results), init.join(", ")).unwrap();
        let outside = self.vectors.clone();
        for body in 0..bodies {
            let iterations = if bodies == 1 { "0..3" } else { ["0, 2", "1, 3"][body] };
            let (index, params) = (self.name(), self.names(count));
            writeln!(self.text, "  body {iterations} ({index}: index, {}) {{", typed(&params)).unwrap();
            self.vectors = outside.clone();
            self.vectors.extend(vec![params; 4]);
            self.row_load(&index);
            for _ in 0..1 + self.random.below(4) {
                self.statement(depth - 1);
            }
            let next = self.of_length(count);
            writeln!(self.text, "  yield {}\n  }}", next.join(", ")).unwrap();
        }
        self.text += "  }\n";
        self.vectors = outside;
        self.vectors.push(results);
    }
}

fn typed(names: &[String]) -> String {
    names.iter().map(|n| format!("{n}: u8")).collect::<Vec<_>>().join(", ")
}
