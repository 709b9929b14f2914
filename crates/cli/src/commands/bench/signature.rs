//! `ludens bench --signature`: one number over the results of playouts, searches, evaluations and solvers.

use crate::output::{Answer, Outcome, print, print_json};
use crate::{interrupt, progress};
use anyhow::anyhow;
use ludens_report::signature::signature;

pub(super) fn run(json: bool) -> Outcome {
    let bar = progress::spinner();
    let result = signature(&interrupt::budget(), &mut |part| bar.set_message(part.to_string()));
    bar.finish_and_clear();
    let Some(signature) = result.map_err(|error| anyhow!(error))? else {
        return Err(anyhow!("interrupted: the signature needs all parts").into());
    };
    match json {
        true => print_json(&signature)?,
        false => print(&signature.to_string())?,
    }
    Ok(Answer::Yes)
}
