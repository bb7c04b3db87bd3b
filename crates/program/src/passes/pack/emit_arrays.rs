//! Loads, stores and arrays of bytes, written with words.

use super::emit::Emitter;
use super::shape::shape_quality;
use crate::ir::{Address, Affine, Op, OpKind, Operand, Type, ValueId};

impl<'a> Emitter<'a> {
    pub(super) fn write_row_load(&mut self, op: &'a Op, array: ValueId, addresses: &[Address]) {
        let lanes = self.facts.rows[&array];
        let ty = Type::Word(8 * lanes as u8);
        if let [row, column] = addresses {
            let byte = column.affine.constant as usize;
            let words = self.facts.row_length(array) / lanes;
            let part = Affine { terms: Vec::new(), constant: (byte / lanes) as i64 };
            let mut addresses = vec![row.clone(), Address { affine: part, ring: false }];
            addresses.truncate(if words == 1 { 1 } else { 2 });
            let word = self.builder.value("", ty);
            let wide = Op { kind: OpKind::Load(array, addresses), results: vec![word], places: op.places.clone() };
            self.write_plain(&wide, wide.kind.clone());
            let byte = self.byte_of(Operand::Value(word), byte % lanes);
            self.stand(op.results[0], byte);
            return;
        }
        let name = |e: &Self, chunk: &[ValueId]| e.builder.values[chunk[0].0 as usize].name.clone();
        let names: Vec<String> = op.results.chunks(lanes).map(|chunk| name(self, chunk)).collect();
        let results: Vec<ValueId> = names.iter().map(|n| self.builder.value(n, ty.clone())).collect();
        let wide = Op { kind: OpKind::Load(array, addresses.to_vec()), results, places: op.places.clone() };
        self.write_plain(&wide, wide.kind.clone());
        for (chunk, &word) in op.results.chunks(lanes).zip(&wide.results) {
            let (group, _) = self.groups.home[&chunk[0]];
            self.set_group(group, Operand::Value(word));
        }
    }

    pub(super) fn row_words(&mut self, list: &[Operand], lanes: usize) -> Vec<Operand> {
        list.chunks(lanes).map(|chunk| self.word(chunk)).collect()
    }

    /// The bytes of an array, taken from words where they make words.
    pub(super) fn bytes_by_words(&mut self, list: &[Operand]) -> Vec<Operand> {
        let mut bytes = Vec::new();
        let pieces = super::groups::pieces(list.len(), self.most);
        for &(start, count) in &pieces {
            let lanes = &list[start..start + count];
            if shape_quality(self.facts, self.groups, &self.tables.old, lanes, self.block) {
                let word = self.word(lanes);
                bytes.extend(
                    (0..count).map(|n| (word, n)).collect::<Vec<_>>().into_iter().map(|(w, n)| self.byte_of(w, n)),
                );
            } else {
                bytes.extend(lanes.iter().map(|&o| self.operand(o)).collect::<Vec<_>>());
            }
        }
        let rest = pieces.last().map_or(0, |&(start, count)| start + count);
        bytes.extend(list[rest..].iter().map(|&o| self.operand(o)).collect::<Vec<_>>());
        bytes
    }
}
