//! The SAT solver CaDiCaL, with proof files.
//!
//! The crate `cadical` builds the solver's C++ sources and binds most of it, but not the writing of proofs; this
//! file calls the same C interface, proofs included. It is the only place of the workspace that calls foreign code.
//! What the solver answers is believed by nobody: a model is decoded and simulated, a refutation is checked by
//! another crate from its proof file.

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::io;
use std::path::Path;

// Links the solver's library.
use cadical as _;

#[repr(C)]
struct Handle {
    _private: [u8; 0],
}

// The C interface of CaDiCaL (src/ccadical.h of its distribution).
extern "C" {
    fn ccadical_signature() -> *const c_char;
    fn ccadical_init() -> *mut Handle;
    fn ccadical_release(solver: *mut Handle);
    fn ccadical_add(solver: *mut Handle, literal: c_int);
    fn ccadical_solve(solver: *mut Handle) -> c_int;
    fn ccadical_val(solver: *mut Handle, literal: c_int) -> c_int;
    fn ccadical_set_option(solver: *mut Handle, name: *const c_char, value: c_int);
    fn ccadical_set_terminate(
        solver: *mut Handle,
        state: *mut c_void,
        ask: Option<extern "C" fn(*mut c_void) -> c_int>,
    );
    fn ccadical_trace_proof(solver: *mut Handle, file: *mut libc::FILE, name: *const c_char) -> c_int;
    fn ccadical_close_proof(solver: *mut Handle);
    // Added by the crate `cadical`; `variables` is a reference in C++.
    fn ccadical_read_dimacs(
        solver: *mut Handle,
        path: *const c_char,
        variables: *mut c_int,
        strict: c_int,
    ) -> *const c_char;
}

/// What the solver says of its clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They can be satisfied; [`Solver::value`] tells how.
    Satisfiable,
    /// They cannot; the proof file, if one was asked for, ends with the empty clause.
    Unsatisfiable,
    /// It was stopped before it knew.
    Stopped,
}

/// Name and version of the solver, as the certificate states it.
#[must_use]
pub fn version() -> String {
    // SAFETY: the solver returns a static text that ends with a zero byte.
    unsafe { CStr::from_ptr(ccadical_signature()) }.to_string_lossy().into_owned()
}

/// One question to the solver.
pub struct Solver {
    handle: *mut Handle,
    proof: Option<*mut libc::FILE>,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver {
    /// A solver without clauses.
    #[must_use]
    pub fn new() -> Self {
        // SAFETY: no precondition; the handle is released once, in `drop`.
        Solver { handle: unsafe { ccadical_init() }, proof: None }
    }

    /// Sets one of the solver's options; unknown names are ignored by the solver. Before any clause.
    pub fn set(&mut self, option: &str, value: i32) {
        let Ok(name) = CString::new(option) else { return };
        // SAFETY: the handle is alive and the name ends with a zero byte.
        unsafe { ccadical_set_option(self.handle, name.as_ptr(), value) };
    }

    /// Writes the proof of a refutation to a file, in the binary LRAT format. Before any clause.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn prove_to(&mut self, path: &Path) -> io::Result<()> {
        let name = CString::new(path.to_string_lossy().as_bytes())?;
        self.set("lrat", 1);
        self.set("binary", 1);
        // SAFETY: both texts end with a zero byte; the file is closed once, in `drop`, after the solver has let go.
        let opened = unsafe { libc::fopen(name.as_ptr(), b"wb\0".as_ptr().cast()) };
        if opened.is_null() {
            return Err(io::Error::last_os_error());
        }
        self.proof = Some(opened);
        // SAFETY: handle and file are alive.
        if unsafe { ccadical_trace_proof(self.handle, opened, name.as_ptr()) } == 0 {
            return Err(io::Error::other("the solver refuses the proof file"));
        }
        Ok(())
    }

    /// Reads the clauses from a file in the DIMACS format. A proof numbers the clauses as this file does, so for a
    /// proof the clauses come from here.
    ///
    /// # Errors
    /// When the solver cannot read the file.
    pub fn read(&mut self, path: &Path) -> io::Result<()> {
        let name = CString::new(path.to_string_lossy().as_bytes())?;
        let mut variables: c_int = 0;
        // SAFETY: the handle is alive, the name ends with a zero byte, `variables` outlives the call; the solver
        // returns null or a text that it keeps alive.
        let message = unsafe { ccadical_read_dimacs(self.handle, name.as_ptr(), &mut variables, 1) };
        if message.is_null() {
            return Ok(());
        }
        // SAFETY: as above.
        Err(io::Error::other(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()))
    }

    /// Adds a clause: literals `v` and `-v` for variables from 1.
    pub fn add(&mut self, clause: &[i32]) {
        for &literal in clause {
            debug_assert!(literal != 0 && literal != i32::MIN);
            // SAFETY: the handle is alive.
            unsafe { ccadical_add(self.handle, literal) };
        }
        // SAFETY: the handle is alive; zero ends the clause.
        unsafe { ccadical_add(self.handle, 0) };
    }

    /// Solves; `stopped` is asked often, and its `true` ends the search.
    pub fn solve(&mut self, stopped: &dyn Fn() -> bool) -> Answer {
        extern "C" fn ask(state: *mut c_void) -> c_int {
            // SAFETY: `state` points to the closure below, which outlives the call of the solver.
            let stopped = unsafe { &*state.cast::<&dyn Fn() -> bool>() };
            c_int::from(stopped())
        }
        let mut asked: &dyn Fn() -> bool = stopped;
        // SAFETY: the handle is alive, and the callback is taken away before `asked` ends.
        let code = unsafe {
            ccadical_set_terminate(self.handle, (&mut asked as *mut &dyn Fn() -> bool).cast(), Some(ask));
            let code = ccadical_solve(self.handle);
            ccadical_set_terminate(self.handle, std::ptr::null_mut(), None);
            code
        };
        match code {
            10 => Answer::Satisfiable,
            20 => Answer::Unsatisfiable,
            _ => Answer::Stopped,
        }
    }

    /// The value of a variable in the model, after [`Answer::Satisfiable`].
    #[must_use]
    pub fn value(&self, variable: i32) -> bool {
        // SAFETY: the handle is alive and in its satisfied state.
        unsafe { ccadical_val(self.handle, variable) > 0 }
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        // SAFETY: handle and file are alive and used no more; the solver flushes the proof before the file is closed.
        unsafe {
            if let Some(file) = self.proof.take() {
                ccadical_close_proof(self.handle);
                ccadical_release(self.handle);
                libc::fclose(file);
            } else {
                ccadical_release(self.handle);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_models_agree_with_the_clauses() {
        let mut solver = Solver::new();
        solver.add(&[1, 2]);
        solver.add(&[-1]);
        assert_eq!(solver.solve(&|| false), Answer::Satisfiable);
        assert!(!solver.value(1) && solver.value(2));
        solver.add(&[-2]);
        assert_eq!(solver.solve(&|| false), Answer::Unsatisfiable);
        assert!(version().starts_with("cadical"), "{}", version());
    }

    #[test]
    fn a_search_that_is_stopped_says_so() {
        // Ten pigeons in nine holes: long enough to be asked whether to stop.
        let place = |pigeon: i32, hole: i32| pigeon * 9 + hole + 1;
        let mut solver = Solver::new();
        for pigeon in 0..10 {
            solver.add(&(0..9).map(|hole| place(pigeon, hole)).collect::<Vec<_>>());
            for other in 0..pigeon {
                (0..9).for_each(|hole| solver.add(&[-place(pigeon, hole), -place(other, hole)]));
            }
        }
        assert_eq!(solver.solve(&|| true), Answer::Stopped);
    }
}
