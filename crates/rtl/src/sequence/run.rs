//! Running a sequence step by step, on places as hardware holds them: the check of the cuts.

use std::collections::HashMap;

use program::diagnostic::Diagnostic;
use program::evaluate::{Evaluator, Value};

use super::{Place, Role, Sequence};

impl Sequence {
    /// Runs all steps on the given arguments (the words of every parameter, flat); gives the words of every result.
    ///
    /// # Errors
    /// P204 where an argument does not fit; H104 where a place is read that nothing wrote.
    pub fn run(&self, arguments: &[Vec<u64>]) -> Result<Vec<Vec<u64>>, Diagnostic> {
        let places = self.steps_of(arguments, &mut |_| ())?;
        let one = |list: &Vec<Place>| list.iter().map(|place| self.at(&places, place)).collect();
        self.results.iter().map(one).collect()
    }

    /// Runs all steps; gives, per step, what it writes, in the order of its places: what registers must hold after its clock.
    ///
    /// # Errors
    /// Like [`Sequence::run`].
    pub fn trace(&self, arguments: &[Vec<u64>]) -> Result<Vec<Vec<u64>>, Diagnostic> {
        let mut written = Vec::new();
        self.steps_of(arguments, &mut |words| written.push(words.to_vec()))?;
        Ok(written)
    }

    /// Runs all steps; shows what each writes; gives all places as they stand at the end.
    fn steps_of(
        &self,
        arguments: &[Vec<u64>],
        watch: &mut dyn FnMut(&[u64]),
    ) -> Result<HashMap<Place, u64>, Diagnostic> {
        let mut evaluator = Evaluator::new(&self.whole())?;
        let mut places = self.start(arguments)?;
        for step in &self.steps {
            let body = &self.bodies[step.body];
            let mut words = Vec::new();
            for place in &step.reads {
                words.push(self.at(&places, place)?);
            }
            let selected = words.len()..words.len() + step.selections.len();
            words.extend(step.selections.iter().map(|_| 0));
            words.extend(&step.constants);
            let mut run = |function: &str, words: &mut dyn Iterator<Item = u64>| -> Result<Vec<u64>, Diagnostic> {
                let words: Vec<Value> = words.map(Value::Word).collect();
                Ok(evaluator.evaluate(function, &words)?.into_iter().filter_map(word).collect())
            };
            for ((at, selection), address) in selected.zip(&step.selections).zip(&body.addresses) {
                let number = run(&address.function, &mut address.parameters.iter().map(|&n| words[n]))?[0];
                words[at] = self.at(&places, &Place::Element(selection.array, selection.first + number as u32))?;
            }
            let results = run(&body.function, &mut words.iter().copied())?;
            watch(&results);
            places.extend(step.writes.iter().copied().zip(results));
        }
        Ok(places)
    }

    fn start(&self, arguments: &[Vec<u64>]) -> Result<HashMap<Place, u64>, Diagnostic> {
        let mut places = HashMap::new();
        for (number, array) in self.arrays.iter().enumerate() {
            let Role::Parameter(parameter) = array.role else { continue };
            let length: u32 = array.dims.iter().product();
            let words = arguments.get(parameter as usize).filter(|words| words.len() == length as usize);
            let words =
                words.ok_or_else(|| Diagnostic::new("P204", format!("`{}` takes {length} words", array.name)))?;
            let places_of = words.iter().enumerate();
            places.extend(places_of.map(|(n, &word)| (Place::Element(number as u32, n as u32), word)));
        }
        Ok(places)
    }

    fn at(&self, places: &HashMap<Place, u64>, place: &Place) -> Result<u64, Diagnostic> {
        places
            .get(place)
            .copied()
            .ok_or_else(|| Diagnostic::new("H104", format!("{} is read before it is written", self.name_of(place))))
    }

    /// The name of a place as the author would write it: `A`, `S[3]`.
    #[must_use]
    pub fn name_of(&self, place: &Place) -> String {
        match *place {
            Place::Word(n) => self.words[n as usize].name.clone(),
            Place::Element(array, n) => format!("{}[{n}]", self.arrays[array as usize].name),
        }
    }
}

fn word(value: Value) -> Option<u64> {
    match value {
        Value::Word(word) => Some(word),
        Value::Array(_) => None,
    }
}
