//! The compiled engine means what the language says; rules that it cannot take fall back to the interpreter.

use ludens_engine::EngineChoice;

const ENGINE: EngineChoice = EngineChoice::Auto;

mod semantics;
