//! Hardware: functions as clocked steps, designs, their cycle simulation.

use std::collections::HashMap;

use ::rtl::architecture::keys::{storage as storage_of, Keys};
use ::rtl::architecture::{core, iterative, pipelined, DeviceRequest, Options};
use ::rtl::design as structure;
use ::rtl::design::simulate::Simulation;
use ::rtl::design::verify::verify;
use ::rtl::padding::padding;
use ::rtl::sequence::{sequence_of, Cuts, Place, Sequence, Step};
use ::rtl::write;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{raise, usage, Class};
use crate::program::Program;

/// A function of a program, cut into clocked steps.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct StepSequence {
    /// The structure.
    pub inner: Sequence,
}

#[pymethods]
impl StepSequence {
    /// Cuts a function: `iterations` of a loop make a step, what stands before or after a loop is merged into its steps or not; a step takes `parts` cycles at most.
    #[staticmethod]
    #[pyo3(signature = (
        program, function, iterations = 1, merge_before = false, merge_after = false, parts = 1, keys = "stored", ahead = false,
        then = vec![]
    ))]
    #[allow(clippy::too_many_arguments)]
    fn of(
        py: Python<'_>,
        program: &Program,
        function: &str,
        iterations: usize,
        merge_before: bool,
        merge_after: bool,
        parts: usize,
        keys: &str,
        ahead: bool,
        then: Vec<String>,
    ) -> PyResult<Self> {
        let keys = Keys::of(keys).map_err(|d| raise(py, Class::Usage, &d))?;
        let ends = Options { keys, ahead, ..Options::default() }.ends();
        let cuts = Cuts { iterations, merge_before, merge_after, parts, ends, ..Cuts::default() };
        let functions: Vec<&str> = [function].into_iter().chain(then.iter().map(String::as_str)).collect();
        let inner = sequence_of(&program.inner, &functions, &cuts).map_err(|d| raise(py, Class::Description, &d))?;
        Ok(StepSequence { inner })
    }

    /// The program that holds the bodies and what they call, verified.
    #[getter]
    fn program(&self, py: Python<'_>) -> PyResult<Program> {
        Program::verified(py, self.inner.whole())
    }

    /// Per step: its body, what it reads, its constants, what it writes, its iteration.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let describe = |step: &Step| {
            let one = PyDict::new(py);
            let names =
                |places: &[Place]| -> Vec<String> { places.iter().map(|place| self.inner.name_of(place)).collect() };
            one.set_item("body", &self.inner.bodies[step.body].function)?;
            one.set_item("wiring", self.inner.bodies[step.body].wiring)?;
            one.set_item("reads", names(&step.reads))?;
            one.set_item("constants", &step.constants)?;
            one.set_item("writes", names(&step.writes))?;
            one.set_item("iteration", &step.iteration)?;
            Ok(one)
        };
        self.inner.steps.iter().map(describe).collect()
    }

    /// Runs the steps on the words of every parameter; gives the words of every result.
    fn run(&self, py: Python<'_>, arguments: Vec<Vec<u64>>) -> PyResult<Vec<Vec<u64>>> {
        self.inner.run(&arguments).map_err(|d| raise(py, Class::Description, &d))
    }

    /// Runs the steps; gives, per step, the words that it writes, in the order of its `writes`.
    fn trace(&self, py: Python<'_>, arguments: Vec<Vec<u64>>) -> PyResult<Vec<Vec<u64>>> {
        self.inner.trace(&arguments).map_err(|d| raise(py, Class::Description, &d))
    }
}

/// A hardware design.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Design {
    /// The structure.
    pub inner: structure::Design,
}

#[pymethods]
impl Design {
    /// Builds an `iterative`, `pipelined` or `core` device for the programs of one or more key sizes; with `share`, steps and directions
    /// that exclude each other share operators; `keys` says how round keys are made; `pads` has, for key sizes below the longest, the
    /// bytes that make their keys keys of the longest; `ahead` that round keys are made a clock before they are used, `storage`
    /// whether those made once per key are kept in `registers` or `latches`; `copies` is the number of iterative cores side by side.
    #[staticmethod]
    #[pyo3(signature = (name, architecture, programs, encrypt, decrypt, iterations = 1, key_iterations = 1, merge_before = false, merge_after = false, share = true, keys = "stored", pads = Vec::new(), parts = 1, ahead = false, storage = "registers", copies = 1))]
    #[allow(clippy::too_many_arguments)]
    fn build(
        py: Python<'_>,
        name: String,
        architecture: &str,
        programs: Vec<(u32, Py<Program>)>,
        encrypt: bool,
        decrypt: bool,
        iterations: usize,
        key_iterations: usize,
        merge_before: bool,
        merge_after: bool,
        share: bool,
        keys: &str,
        pads: Vec<(u32, Vec<u8>)>,
        parts: usize,
        ahead: bool,
        storage: &str,
        copies: u32,
    ) -> PyResult<Self> {
        let data = Cuts { iterations, merge_before, merge_after, parts, ..Cuts::default() };
        let keys = Keys::of(keys).map_err(|d| raise(py, Class::Usage, &d))?;
        let storage = storage_of(storage).map_err(|d| raise(py, Class::Usage, &d))?;
        let key = Cuts { iterations: key_iterations, ..Cuts::default() };
        let options = Options { data, key, share, keys, ahead, storage, copies };
        let programs = programs.iter().map(|(bits, p)| (*bits, &p.get().inner)).collect();
        let wanted = DeviceRequest { name, programs, pads, encrypt, decrypt };
        let built = match architecture {
            "iterative" => iterative::iterative(&wanted, &options),
            "pipelined" => pipelined::pipelined(&wanted, &options),
            "core" => core::core(&wanted, &options),
            other => {
                let message = format!("there is no architecture `{other}`");
                return Err(usage(py, "H303", message, "known: core, iterative, pipelined".to_owned()));
            }
        };
        let inner = built.map_err(|d| raise(py, Class::Description, &d))?;
        verify(&inner).map_err(|d| raise(py, Class::Verification, &d))?;
        Ok(Design { inner })
    }

    /// The bytes that follow a short key where the key schedule of the long one is then that of the short one; none where it is not.
    #[staticmethod]
    fn padding(short: &Program, long: &Program) -> Option<Vec<u8>> {
        padding(&short.inner, &long.inner)
    }

    /// The program that holds all combinational functions, verified.
    #[getter]
    fn program(&self, py: Python<'_>) -> PyResult<Program> {
        Program::verified(py, self.inner.program.clone())
    }

    /// Name of the top-level module.
    #[getter]
    fn name(&self) -> String {
        self.inner.name.clone()
    }

    /// The files (name, text) in `verilog` or `vhdl`; modules before those that have instances of them.
    fn files(&self, py: Python<'_>, language: &str) -> PyResult<Vec<(String, String)>> {
        let files = match language {
            "verilog" => write::verilog(&self.inner),
            "vhdl" => write::vhdl(&self.inner),
            other => {
                let message = format!("designs are not written in `{other}`");
                return Err(usage(py, "H404", message, "known: verilog, vhdl".to_owned()));
            }
        };
        files.map_err(|d| raise(py, Class::Description, &d))
    }

    /// The module of every machine, and last that of the device.
    fn module_names(&self) -> Vec<String> {
        write::module_names(&self.inner)
    }

    /// Name, direction (`input`, `output`) and widths of the words of every pin.
    fn ports(&self) -> Vec<(String, &'static str, Vec<u8>)> {
        let direction = |d| if d == structure::Direction::Input { "input" } else { "output" };
        self.inner.ports.iter().map(|p| (p.name.clone(), direction(p.direction), p.words.clone())).collect()
    }

    /// Name of every machine with the number of its register bits.
    fn machines(&self) -> Vec<(String, u32)> {
        let bits = |m: &structure::Machine| {
            let words: u32 = m.registers.iter().map(|r| u32::from(r.width)).sum();
            words + m.stores.iter().map(|s| u32::from(s.width) * s.length).sum::<u32>()
        };
        self.inner.machines.iter().map(|m| (m.name.clone(), bits(m))).collect()
    }

    /// Block, name and width of every register, in the order of a simulation's `state`, with the names of the emitted files;
    /// a word of a store has its number in brackets.
    fn registers(&self) -> Vec<(String, String, u8)> {
        let mut found = Vec::new();
        for (machine, (block, names)) in self.inner.machines.iter().zip(write::register_names(&self.inner)) {
            let registers = machine.registers.iter().zip(names).map(|(r, name)| (block.clone(), name, r.width));
            found.extend(registers);
            for store in &machine.stores {
                let words = (0..store.length).map(|n| (block.clone(), format!("{}[{n}]", store.name), store.width));
                found.extend(words);
            }
        }
        found
    }

    /// What a pin carries, by its name; empty where nothing is said.
    fn port_docs(&self) -> HashMap<String, String> {
        self.inner.ports.iter().map(|p| (p.name.clone(), p.doc.clone())).collect()
    }

    /// Iterative cores side by side.
    #[getter]
    fn copies(&self) -> u32 {
        self.inner.timing.copies
    }

    /// Per key size and direction: key bits, decrypt, cycles of key setup, of latency, from block to block in the same core.
    fn timing(&self) -> Vec<(u32, bool, u32, u32, u32)> {
        let clocks = self.inner.timing.clocks.iter();
        clocks.map(|c| (c.key_bits, c.decrypt, c.key_setup, c.latency, c.per_block)).collect()
    }
}

/// A design in operation.
#[pyclass(module = "cipherassay._engine")]
pub struct DesignSimulation {
    inner: Simulation,
}

#[pymethods]
impl DesignSimulation {
    #[new]
    fn new(py: Python<'_>, design: &Design) -> PyResult<Self> {
        let inner = Simulation::new(&design.inner).map_err(|d| raise(py, Class::Description, &d))?;
        Ok(DesignSimulation { inner })
    }

    /// One clock, with `reset` one in which that pin is 1: the words of every other input pin, by name; gives those of every output
    /// pin as they are before the clock's edge.
    #[pyo3(signature = (pins, reset = false))]
    fn clock(
        &mut self,
        py: Python<'_>,
        pins: HashMap<String, Vec<u64>>,
        reset: bool,
    ) -> PyResult<HashMap<String, Vec<u64>>> {
        self.inner.clock(&pins, reset).map_err(|d| raise(py, Class::Usage, &d))
    }

    /// The value of a register of a machine.
    fn register(&self, machine: &str, register: &str) -> Option<u64> {
        self.inner.register(machine, register)
    }

    /// The values of all registers and words of stores, in the order of the design's `registers`.
    fn state(&self) -> Vec<u64> {
        let words = |(registers, stores): (&[u64], &[Vec<u64>])| [registers, &stores.concat()].concat();
        self.inner.state().into_iter().flat_map(words).collect()
    }
}

/// Adds what this file binds to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<StepSequence>()?;
    module.add_class::<Design>()?;
    module.add_class::<DesignSimulation>()
}
