//! Files that outlive a run: solutions today; models, compiled games and the like can use the same envelope.
//!
//! An [`Artifact`] is about one game. Its file has a head (what kind of file it is, the version of that kind, and the
//! fingerprint of the rules), then the name and the text of the rules, then a body that belongs to the kind, then a
//! checksum of all before it. All numbers are little-endian. A file that cannot be read back exactly is an error, never
//! a guess, and the error says what to do.
//!
//! ```
//! use ludens_artifact::{About, Artifact, Kind};
//! use std::io::Write;
//!
//! const NOTE: Kind = Kind {
//!     name: "note",
//!     version: 1,
//!     command: "ludens note GAME --save FILE",
//!     remedy: "write it again",
//! };
//! let about = About { fingerprint: [7; 32], name: "tic-tac-toe", rules: "(role x) ..." };
//! let mut file = Vec::new();
//! Artifact::write(&NOTE, &about, &mut file, |out| out.write_all(b"x wins"))?;
//! let artifact = Artifact::read(&NOTE, &file).unwrap();
//! assert_eq!((artifact.about.name, artifact.body), ("tic-tac-toe", &b"x wins"[..]));
//! # Ok::<(), std::io::Error>(())
//! ```

mod code;
mod envelope;
mod files;

pub use code::{Broken, Decoder, Encoder};
pub use envelope::{About, Artifact, ArtifactError, Fingerprint, Kind};
pub use files::{data_directory, save};
