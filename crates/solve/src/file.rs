//! Solutions as bytes, to be kept in files.
//!
//! A file has a head (what it is, its version, the method, the order of preference, and a hash of the rules), then the
//! name and the text of the rules, then what the method wrote, then a checksum of all before it. Numbers of fluents belong to a `Game`, so files name them by their
//! text. All numbers are little-endian. What cannot be read again exactly is an error, never a guess.

use crate::explicit::ExplicitSolution;
use crate::symbolic::SymbolicSolution;
use crate::{Order, Solution};
use ludens_engine::{Fluent, Game};
use ludens_gdl::Source;
use ludens_gdl::format::canonical_rule;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

const MAGIC: &[u8; 8] = b"LUDENSOL";
const VERSION: u32 = 1;
const HASH: usize = 32;
/// Magic, version, method, order, hash of the rules.
const HEAD: usize = 8 + 4 + 1 + 1 + HASH;

/// Why bytes are not a solution of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It is something else.
    #[error("it is not a solution: `ludens solve GAME --save FILE` writes one")]
    Foreign,
    /// It was written by another version of the program.
    #[error("it has version {found} of the format, and this program reads version {VERSION}; solve the game again")]
    Version {
        /// The version of the file.
        found: u32,
    },
    /// Some bytes are not what they were when it was written.
    #[error("it is damaged: its checksum is wrong; solve the game again")]
    Damaged,
    /// It is a solution of other rules.
    #[error("it is a solution of other rules than those of {game}")]
    OtherRules {
        /// The game it was to be used for.
        game: String,
    },
    /// The checksum is right, but the content makes no sense.
    #[error("it cannot be read: {0}")]
    Broken(String),
}

impl From<Broken> for FileError {
    fn from(Broken(what): Broken) -> FileError {
        FileError::Broken(what.to_string())
    }
}

/// A hash of the rules of a game, whatever their order, their layout and the names of their variables.
pub fn rules_hash(game: &Game) -> [u8; HASH] {
    let rules = game.rules();
    let mut texts: Vec<String> = rules
        .rules
        .iter()
        .map(|rule| canonical_rule(rule, &rules.symbols))
        .collect();
    texts.sort_unstable();
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().into()
}

impl Solution {
    /// Writes the solution of a game so that [`Solution::read`] can read it.
    pub fn write(&self, game: &Game, out: &mut dyn Write) -> io::Result<()> {
        let mut out = Hashing {
            out,
            hash: Sha256::new(),
        };
        let method = match self {
            Solution::Explicit(_) => 0,
            Solution::Symbolic(_) => 1,
        };
        let order = match self.order() {
            Order::Own => 0,
            Order::Difference => 1,
        };
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[method, order])?;
        out.write_all(&rules_hash(game))?;
        let source = &game.description().source;
        let mut texts = Encoder(&mut out);
        texts.text(source.name())?;
        texts.text(source.text())?;
        match self {
            Solution::Explicit(table) => table.write(game, &mut out)?,
            Solution::Symbolic(sets) => sets.write(game, &mut out)?,
        }
        let checksum = out.hash.finalize();
        out.out.write_all(&checksum)
    }

    /// Reads what [`Solution::write`] wrote for a game of the same rules.
    pub fn read(game: &Game, bytes: &[u8]) -> Result<Solution, FileError> {
        let content = checked(bytes)?;
        if content[14..HEAD] != rules_hash(game) {
            return Err(FileError::OtherRules {
                game: game.name().to_string(),
            });
        }
        let order = match content[13] {
            0 => Order::Own,
            1 => Order::Difference,
            other => return Err(FileError::Broken(format!("there is no order {other}"))),
        };
        let mut rest = Decoder(&content[HEAD..]);
        // The name and the text of the rules; the hash was compared above.
        for _ in 0..2 {
            rest.text()?;
        }
        match content[12] {
            0 => Ok(Solution::Explicit(ExplicitSolution::read(game, order, rest.0)?)),
            1 => Ok(Solution::Symbolic(SymbolicSolution::read(game, order, rest.0)?)),
            other => Err(FileError::Broken(format!("there is no method {other}"))),
        }
    }

    /// The rules that a solution was written for.
    pub fn rules(bytes: &[u8]) -> Result<Source, FileError> {
        let mut texts = Decoder(&checked(bytes)?[HEAD..]);
        let (name, text) = (texts.text()?, texts.text()?);
        Ok(Source::new(name, text))
    }
}

/// Everything before the checksum, if that is right.
fn checked(bytes: &[u8]) -> Result<&[u8], FileError> {
    if bytes.len() < HEAD + HASH || &bytes[..8] != MAGIC {
        return Err(FileError::Foreign);
    }
    let version = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
    if version != VERSION {
        return Err(FileError::Version { found: version });
    }
    let (content, checksum) = bytes.split_at(bytes.len() - HASH);
    if Sha256::digest(content)[..] != *checksum {
        return Err(FileError::Damaged);
    }
    Ok(content)
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

/// What is wrong with the content of a file.
#[derive(Debug)]
pub(crate) struct Broken(pub(crate) &'static str);

/// Writes numbers and texts.
pub(crate) struct Encoder<'a>(pub(crate) &'a mut dyn Write);

impl Encoder<'_> {
    pub(crate) fn number(&mut self, number: u64) -> io::Result<()> {
        self.0.write_all(&number.to_le_bytes())
    }

    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.number(text.len() as u64)?;
        self.0.write_all(text.as_bytes())
    }

    pub(crate) fn fluent(&mut self, game: &Game, fluent: Fluent) -> io::Result<()> {
        self.text(&game.vocabulary().fluent_name(fluent).text)
    }

    /// A list of numbers of any kind, as their bytes, in pieces so that no copy of it all is made.
    pub(crate) fn list<T: Copy, const N: usize>(&mut self, list: &[T], bytes: impl Fn(T) -> [u8; N]) -> io::Result<()> {
        let mut piece = Vec::with_capacity(N << 13);
        for some in list.chunks(1 << 13) {
            piece.clear();
            some.iter().for_each(|&number| piece.extend_from_slice(&bytes(number)));
            self.0.write_all(&piece)?;
        }
        Ok(())
    }
}

/// Reads them.
pub(crate) struct Decoder<'a>(pub(crate) &'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Broken> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Broken("it ends too early"))?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn number(&mut self) -> Result<u64, Broken> {
        let mut number = [0; 8];
        number.copy_from_slice(self.bytes(8)?);
        Ok(u64::from_le_bytes(number))
    }

    /// A number of things that take at least so many bytes each.
    pub(crate) fn count(&mut self, bytes_each: usize) -> Result<usize, Broken> {
        let count = usize::try_from(self.number()?).map_err(|_| Broken("a count is too large"))?;
        match count.checked_mul(bytes_each).is_some_and(|bytes| bytes <= self.0.len()) {
            true => Ok(count),
            false => Err(Broken("a count is too large")),
        }
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Broken> {
        let length = self.count(1)?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| Broken("a text is none"))
    }

    pub(crate) fn list<T, const N: usize>(
        &mut self,
        count: usize,
        number: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Broken> {
        let length = count.checked_mul(N).ok_or(Broken("a count is too large"))?;
        let (chunks, _) = self.bytes(length)?.as_chunks::<N>();
        Ok(chunks.iter().map(|&bytes| number(bytes)).collect())
    }
}
