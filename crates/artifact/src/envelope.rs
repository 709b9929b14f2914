//! The envelope of an artifact: head, rules and checksum.

use crate::{Broken, Decoder, Encoder};
use sha2::{Digest, Sha256};
use std::io::{self, Write};

const MAGIC: &[u8; 8] = b"LUDENART";
/// First bytes of solution files from before the envelope existed.
const FIRST_MAGIC: &[u8; 8] = b"LUDENSOL";
const HASH: usize = 32;
/// Bytes for the name of a kind.
const NAME: usize = 16;
/// Magic, version, name of the kind, fingerprint.
const HEAD: usize = 8 + 4 + NAME + HASH;

/// A hash of the rules of a game.
pub type Fingerprint = [u8; HASH];

/// A kind of artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name, for people and in files; at most 16 bytes.
    pub name: &'static str,
    /// The version of the body. Files of other versions are refused.
    pub version: u32,
    /// The command that writes one.
    pub command: &'static str,
    /// Advice for a file that cannot be used.
    pub remedy: &'static str,
}

/// The game that an artifact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About<'a> {
    /// A hash of its rules, whatever their order and layout.
    pub fingerprint: Fingerprint,
    /// Its name.
    pub name: &'a str,
    /// The text of its rules.
    pub rules: &'a str,
}

/// An artifact that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Artifact<'a> {
    /// The game.
    pub about: About<'a>,
    /// The content, which belongs to the kind.
    pub body: &'a [u8],
}

/// Reason why bytes are not an artifact of a kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// It is something else.
    #[error("it is not a {}: `{}` writes one", kind.name, kind.command)]
    Foreign {
        /// The kind expected.
        kind: Kind,
    },
    /// It is an artifact of another kind.
    #[error("it is a {found}, not a {}: `{}` writes one", kind.name, kind.command)]
    OtherKind {
        /// The kind expected.
        kind: Kind,
        /// The kind found.
        found: String,
    },
    /// It was written by another version of the program.
    #[error("it has version {found} of the format, and this program reads version {}; {}", kind.version, kind.remedy)]
    Version {
        /// The kind expected.
        kind: Kind,
        /// The version of the file.
        found: u32,
    },
    /// Some bytes are not what they were when it was written.
    #[error("it is damaged: its checksum is wrong; {}", kind.remedy)]
    Damaged {
        /// The kind expected.
        kind: Kind,
    },
    /// It is about other rules.
    #[error("it is a {} of other rules than those of {game}", kind.name)]
    OtherRules {
        /// The kind expected.
        kind: Kind,
        /// The game it was to be used for.
        game: String,
    },
    /// The checksum is right, but the content makes no sense.
    #[error("it cannot be read: {0}")]
    Broken(String),
}

impl From<Broken> for ArtifactError {
    fn from(Broken(what): Broken) -> ArtifactError {
        ArtifactError::Broken(what.to_string())
    }
}

impl<'a> Artifact<'a> {
    /// Writes an artifact; `body` writes the content.
    pub fn write(
        kind: &Kind,
        about: &About<'_>,
        out: &mut dyn Write,
        body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut name = [0; NAME];
        name[..kind.name.len()].copy_from_slice(kind.name.as_bytes());
        let mut out = Hashing {
            out,
            hash: Sha256::new(),
        };
        out.write_all(MAGIC)?;
        out.write_all(&kind.version.to_le_bytes())?;
        out.write_all(&name)?;
        out.write_all(&about.fingerprint)?;
        let mut texts = Encoder(&mut out);
        texts.text(about.name)?;
        texts.text(about.rules)?;
        body(&mut out)?;
        let checksum = out.hash.finalize();
        out.out.write_all(&checksum)
    }

    /// Reads an artifact of a kind.
    pub fn read(kind: &Kind, bytes: &'a [u8]) -> Result<Artifact<'a>, ArtifactError> {
        let kind = *kind;
        if bytes.starts_with(FIRST_MAGIC) && bytes.len() >= 12 {
            let found = version(bytes);
            return Err(ArtifactError::Version { kind, found });
        }
        if bytes.len() < HEAD + HASH || !bytes.starts_with(MAGIC) {
            return Err(ArtifactError::Foreign { kind });
        }
        let name = &bytes[12..12 + NAME];
        let used = name.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        if name[..used] != *kind.name.as_bytes() {
            let found = String::from_utf8_lossy(&name[..used]).into_owned();
            return Err(ArtifactError::OtherKind { kind, found });
        }
        let found = version(bytes);
        if found != kind.version {
            return Err(ArtifactError::Version { kind, found });
        }
        let (content, checksum) = bytes.split_at(bytes.len() - HASH);
        if Sha256::digest(content)[..] != *checksum {
            return Err(ArtifactError::Damaged { kind });
        }
        let mut rest = Decoder(&content[HEAD..]);
        let mut fingerprint = [0; HASH];
        fingerprint.copy_from_slice(&content[HEAD - HASH..HEAD]);
        let about = About {
            fingerprint,
            name: rest.text()?,
            rules: rest.text()?,
        };
        Ok(Artifact { about, body: rest.0 })
    }

    /// Reads an artifact of a kind about the game with this fingerprint and name.
    pub fn read_for(
        kind: &Kind,
        fingerprint: &Fingerprint,
        game: &str,
        bytes: &'a [u8],
    ) -> Result<Artifact<'a>, ArtifactError> {
        let artifact = Artifact::read(kind, bytes)?;
        match artifact.about.fingerprint == *fingerprint {
            true => Ok(artifact),
            false => Err(ArtifactError::OtherRules {
                kind: *kind,
                game: game.to_string(),
            }),
        }
    }
}

fn version(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]])
}

/// Writes and hashes.
struct Hashing<'a> {
    out: &'a mut dyn Write,
    hash: Sha256,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: Kind = Kind {
        name: "note",
        version: 3,
        command: "ludens note GAME",
        remedy: "write it again",
    };

    fn note() -> Vec<u8> {
        let about = About {
            fingerprint: [7; HASH],
            name: "a game",
            rules: "(role x)",
        };
        let mut bytes = Vec::new();
        Artifact::write(&NOTE, &about, &mut bytes, |out| out.write_all(b"content")).unwrap();
        bytes
    }

    fn refusal(kind: &Kind, bytes: &[u8]) -> String {
        Artifact::read(kind, bytes).unwrap_err().to_string()
    }

    #[test]
    fn what_was_written_is_read_back() {
        let bytes = note();
        let artifact = Artifact::read_for(&NOTE, &[7; HASH], "a game", &bytes).unwrap();
        assert_eq!((artifact.about.rules, artifact.body), ("(role x)", &b"content"[..]));
    }

    #[test]
    fn truncated_or_changed_bytes_are_refused() {
        let bytes = note();
        for length in 0..bytes.len() {
            assert!(Artifact::read(&NOTE, &bytes[..length]).is_err(), "{length}");
        }
        assert!(refusal(&NOTE, &bytes[..bytes.len() - 1]).contains("checksum is wrong; write it again"));
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 4;
            assert!(Artifact::read(&NOTE, &changed).is_err(), "{place}");
        }
    }

    #[test]
    fn foreign_files_are_refused_with_what_to_do() {
        assert_eq!(refusal(&NOTE, b"{}"), "it is not a note: `ludens note GAME` writes one");
        let other = Kind { name: "poem", ..NOTE };
        assert!(refusal(&other, &note()).starts_with("it is a note, not a poem"));
        let later = Kind { version: 4, ..NOTE };
        let expected = "it has version 3 of the format, and this program reads version 4; write it again";
        assert_eq!(refusal(&later, &note()), expected);
        let bytes = note();
        let other_rules = Artifact::read_for(&NOTE, &[8; HASH], "chess", &bytes).unwrap_err();
        assert_eq!(
            other_rules.to_string(),
            "it is a note of other rules than those of chess"
        );
    }

    #[test]
    fn solutions_from_before_the_envelope_are_said_to_be_old() {
        let mut old = FIRST_MAGIC.to_vec();
        old.extend_from_slice(&1u32.to_le_bytes());
        assert!(refusal(&NOTE, &old).starts_with("it has version 1 of the format"));
    }
}
