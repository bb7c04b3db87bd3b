//! Python bindings of the engine.
