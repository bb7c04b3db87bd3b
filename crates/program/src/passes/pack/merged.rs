//! Tables made by the pass: products of S-boxes with columns of a matrix, and S-boxes in a lane of a word.

use std::collections::HashMap;

use crate::ir::{Matrix, MatrixId, Table, TableId};
use crate::semantics::{field_multiply, mask, shift};

/// Columns of a matrix that one byte goes through, each with the tables before it, innermost first.
pub type Columns = Vec<(usize, Vec<TableId>)>;

/// What a product is made of: the matrix, its columns, and the rows.
type Key = (MatrixId, Columns, Vec<usize>);

/// How few tables of words are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// One for each product.
    Full,
    /// None whose entries are those of another, turned by whole bytes.
    Rotated,
    /// None that is another with some of its bytes set to zero: where all bytes of a product are equal or 0, one table has
    /// that byte everywhere, and masks take the others away.
    Masked,
}

/// What is done to a look-up's word to get the wanted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// Bytes by which it is turned to the left.
    pub turn: usize,
    /// Bits of it that are kept.
    pub mask: u64,
}

/// Tables old and new.
pub struct Tables {
    /// Those of the program before the pass.
    pub old: Vec<Table>,
    matrices: Vec<Matrix>,
    sharing: Sharing,
    /// Those of the pass; they are numbered after the old ones.
    pub new: Vec<Table>,
    products: HashMap<Key, Product>,
    /// What each product computes.
    pub new_data: Vec<(String, Vec<u64>)>,
    placed: HashMap<(TableId, usize, usize), (TableId, Derivation)>,
}

/// A function of one byte, as an index into [`Tables::new_data`].
#[derive(Clone, Copy, Debug)]
pub struct Product(usize);

impl Product {
    /// Its values.
    pub fn data(self, all: &[(String, Vec<u64>)]) -> &[u64] {
        &all[self.0].1
    }

    /// Whether it is 0 for every byte.
    pub fn is_zero(self, all: &[(String, Vec<u64>)]) -> bool {
        self.data(all).iter().all(|&n| n == 0)
    }
}

impl Tables {
    /// Without new ones.
    pub fn new(old: Vec<Table>, matrices: Vec<Matrix>, sharing: Sharing) -> Self {
        Tables {
            old,
            matrices,
            sharing,
            new: Vec::new(),
            products: HashMap::new(),
            new_data: Vec::new(),
            placed: HashMap::new(),
        }
    }

    /// What columns of a matrix give for one byte in some rows; each column sees the byte through its tables.
    pub fn product(&mut self, matrix: MatrixId, columns: &[(usize, Vec<TableId>)], rows: &[usize]) -> Product {
        let key = (matrix, columns.to_vec(), rows.to_vec());
        if let Some(&known) = self.products.get(&key) {
            return known;
        }
        let data = (0..256).map(|byte| self.entry(matrix, columns, rows, byte)).collect();
        let name = self.product_name(matrix, columns);
        self.new_data.push((name, data));
        let product = Product(self.new_data.len() - 1);
        self.products.insert(key, product);
        product
    }

    fn entry(&self, matrix: MatrixId, columns: &[(usize, Vec<TableId>)], rows: &[usize], byte: u64) -> u64 {
        let Matrix { polynomial, rows: factors, .. } = &self.matrices[matrix.0 as usize];
        let mut entry = 0;
        for (column, chain) in columns {
            let input = chain.iter().fold(byte, |b, table| self.old[table.0 as usize].data[b as usize]);
            for (lane, &row) in rows.iter().enumerate() {
                entry ^= field_multiply(*polynomial, factors[row][*column], input) << (8 * lane);
            }
        }
        entry
    }

    /// `S_MIX_COLUMN_0`: the tables, the matrix, the columns.
    fn product_name(&self, matrix: MatrixId, columns: &[(usize, Vec<TableId>)]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for table in columns.iter().flat_map(|c| c.1.iter().rev()) {
            let name = &self.old[table.0 as usize].name;
            if !parts.contains(name) {
                parts.push(name.clone());
            }
        }
        parts.push(self.matrices[matrix.0 as usize].name.clone());
        parts.extend(columns.iter().map(|c| c.0.to_string()));
        parts.join("_")
    }

    /// The table of a product, and what is done to its entries.
    pub fn table_for(&mut self, product: Product, bytes: usize) -> (TableId, Derivation) {
        let (name, data) = self.new_data[product.0].clone();
        self.derived(&name, data, bytes)
    }

    /// A byte table whose entries stand in a lane of a word.
    pub fn placed(&mut self, table: TableId, lane: usize, bytes: usize) -> (TableId, Derivation) {
        if let Some(&known) = self.placed.get(&(table, lane, bytes)) {
            return known;
        }
        let Table { name, data, .. } = &self.old[table.0 as usize];
        let name = format!("{name}_{lane}");
        let data = data.iter().map(|&n| n << (8 * lane)).collect();
        let made = match self.sharing {
            Sharing::Masked => self.derived(&name, data, bytes),
            Sharing::Full | Sharing::Rotated => (self.add(&name, data, bytes), whole(bytes)),
        };
        self.placed.insert((table, lane, bytes), made);
        made
    }

    fn derived(&mut self, name: &str, data: Vec<u64>, bytes: usize) -> (TableId, Derivation) {
        match self.sharing {
            Sharing::Full => {}
            Sharing::Rotated => {
                let turned = |turn: &usize| self.find(&turned_right(&data, *turn, bytes), bytes);
                if let Some((turn, table)) = (1..bytes).find_map(|turn| Some((turn, turned(&turn)?))) {
                    return (table, Derivation { turn, ..whole(bytes) });
                }
            }
            Sharing::Masked => {
                if let Some((everywhere, kept)) = spread(&data, bytes) {
                    let base = self.old.iter().find(|t| t.width == 8 && t.data.iter().eq(everywhere.iter()));
                    let name = format!("{}_everywhere", base.map_or(name, |table| &table.name));
                    let copies = (0..bytes).fold(0, |copies, _| copies << 8 | 1);
                    let entries = everywhere.iter().map(|n| n * copies).collect();
                    return (self.add(&name, entries, bytes), Derivation { turn: 0, mask: kept });
                }
            }
        }
        (self.add(name, data, bytes), whole(bytes))
    }

    fn find(&self, data: &[u64], bytes: usize) -> Option<TableId> {
        let same = |t: &&Table| usize::from(t.width) == 8 * bytes && t.data == data;
        let in_new = self.new.iter().position(|t| same(&t)).map(|n| n + self.old.len());
        self.old.iter().position(|t| same(&t)).or(in_new).map(|n| TableId(n as u32))
    }

    /// A table with these entries: one that is there, or a new one with this name or the next free.
    fn add(&mut self, name: &str, data: Vec<u64>, bytes: usize) -> TableId {
        if let Some(found) = self.find(&data, bytes) {
            return found;
        }
        let taken = |name: &str| self.old.iter().chain(&self.new).any(|t| t.name == name);
        let mut free = name.to_owned();
        let mut number = 0;
        while taken(&free) {
            number += 1;
            free = format!("{name}.{number}");
        }
        self.new.push(Table { name: free, width: 8 * bytes as u8, data });
        TableId((self.old.len() + self.new.len() - 1) as u32)
    }
}

fn turned_right(data: &[u64], lanes: usize, bytes: usize) -> Vec<u64> {
    let width = 8 * bytes as u8;
    data.iter().map(|&n| shift(crate::ir::Shift::Rotr, n & mask(width), 8 * lanes as u64, width)).collect()
}

/// The entries as they are.
fn whole(bytes: usize) -> Derivation {
    Derivation { turn: 0, mask: mask(8 * bytes as u8) }
}

/// Where every byte of the entries is one and the same or always 0: that byte of each entry, and the mask of where it stands.
fn spread(data: &[u64], bytes: usize) -> Option<(Vec<u64>, u64)> {
    let lane = |k: usize| data.iter().map(move |n| n >> (8 * k) & 0xff);
    let used: Vec<usize> = (0..bytes).filter(|&k| lane(k).any(|n| n != 0)).collect();
    let &first = used.first()?;
    let same = used.iter().all(|&k| lane(k).eq(lane(first)));
    same.then(|| (lane(first).collect(), used.iter().fold(0, |kept, k| kept | 0xff << (8 * k))))
}
