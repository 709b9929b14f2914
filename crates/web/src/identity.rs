//! Random identifiers and keys, from the random source of the system.

use crate::error::ApiError;

/// Letters and digits without those that look alike.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Random identifier that starts with `kind`.
pub(crate) fn identifier(kind: char) -> Result<String, ApiError> {
    Ok(format!("{kind}{}", letters::<11>()?))
}

/// Random key.
pub(crate) fn secret() -> Result<String, ApiError> {
    letters::<26>()
}

/// Short random identifier of a request, shown in the log.
pub(crate) fn request() -> String {
    letters::<6>().unwrap_or_else(|_| "unknown".to_string())
}

/// Random seed that every JSON reader can represent exactly.
pub(crate) fn seed() -> Result<u64, ApiError> {
    let mut bytes = [0; 8];
    fill(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes) >> 11)
}

fn letters<const N: usize>() -> Result<String, ApiError> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    let letter = |byte: u8| char::from(LETTERS[usize::from(byte % 32)]);
    Ok(bytes.into_iter().map(letter).collect())
}

fn fill(bytes: &mut [u8]) -> Result<(), ApiError> {
    getrandom::fill(bytes).map_err(|error| ApiError::Internal(format!("no randomness: {error}")))
}
