//! Agents by their spec, as far as strangers may set them.

use crate::error::ApiError;
use ludens_play::AgentSpec;

/// The agent that a text means.
pub(crate) fn agent(text: &str) -> Result<AgentSpec, ApiError> {
    let spec = AgentSpec::parse(text)
        .map_err(|error| ApiError::BadRequest(format!("The player `{text}` is not known: {error}.")))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let has_threads = spec.kind().settings.iter().any(|setting| setting.name == "threads");
    match has_threads && spec.values().count("threads") > cores {
        true => Err(ApiError::BadRequest(format!(
            "The player `{text}` wants more threads than the {cores} that this machine has."
        ))),
        false => Ok(spec),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_gets_more_threads_than_there_are() {
        assert!(agent("uct(threads=1)").is_ok() && agent("random").is_ok());
        for text in ["uct(threads=256)", "uct(", "nobody"] {
            assert!(matches!(agent(text), Err(ApiError::BadRequest(_))), "{text}");
        }
    }
}
