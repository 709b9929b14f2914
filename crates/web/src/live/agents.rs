//! Agents by their spec, as far as strangers may set them.

use crate::error::ApiError;
use ludens_play::AgentSpec;

/// The agent that a text means.
pub(crate) fn agent(text: &str) -> Result<AgentSpec, ApiError> {
    let mut spec = AgentSpec::parse(text)
        .map_err(|error| ApiError::BadRequest(format!("The player `{text}` is not known: {error}.")))?;
    // The files of the server are none of a stranger's business.
    let refused = || {
        ApiError::BadRequest(format!(
            "The player `{text}` names a file, which the server does not read."
        ))
    };
    spec.read_files(|_| Err(refused()))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (name, most) in [("threads", cores), ("memory", MOST_MEGABYTES)] {
        let has_setting = spec.kind().settings.iter().any(|setting| setting.name == name);
        if has_setting && spec.values().count(name) > most {
            return Err(ApiError::BadRequest(format!(
                "The player `{text}` wants more {name} than the server gives, which is {most}."
            )));
        }
    }
    Ok(spec)
}

/// The memory that an agent may ask for.
const MOST_MEGABYTES: usize = 1024;

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
