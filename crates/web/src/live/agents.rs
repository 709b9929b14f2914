//! Agents by spec, restricted to settings that clients may use.

use crate::error::ApiError;
use ludens_play::AgentSpec;
use ludens_play::settings::Kind;

/// Parses an agent spec.
pub(crate) fn agent(text: &str) -> Result<AgentSpec, ApiError> {
    let spec =
        AgentSpec::parse(text).map_err(|error| ApiError::BadRequest(format!("Invalid player `{text}`: {error}.")))?;
    // Clients must not read files of the server.
    let refused = || {
        ApiError::BadRequest(format!(
            "The player `{text}` names a file; the server does not read files of clients."
        ))
    };
    spec.read_files(|_| Err(refused()))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for setting in spec.settings() {
        let most = match setting.name {
            "threads" => cores as i64,
            "memory" => MOST_MEGABYTES,
            _ => continue,
        };
        if matches!(setting.kind, Kind::Integer { value, .. } if value > most) {
            return Err(ApiError::BadRequest(format!(
                "The player `{text}` exceeds the limit of this server for {}, {most}.",
                setting.name
            )));
        }
    }
    Ok(spec)
}

/// Maximum memory of an agent, in MiB.
const MOST_MEGABYTES: i64 = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_gets_more_than_the_server_gives() {
        assert!(agent("uct(threads=1)").is_ok() && agent("random").is_ok());
        for text in [
            "uct(threads=256)",
            "uct(",
            "nobody",
            "perfect(solution=some.file)",
            "perfect(memory=100000)",
            "cfr(threads=256)",
            "cfr(memory=100000)",
            "rnr(memory=100000)",
            "rnr(model=table(file=some.file))",
            "table(file=some.file)",
        ] {
            assert!(matches!(agent(text), Err(ApiError::BadRequest(_))), "{text}");
        }
    }
}
