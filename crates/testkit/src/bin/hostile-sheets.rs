//! Writes hostile rule sets to a folder: `hostile-sheets DIR [NAME...]`, all of them unless some are named.

use ludens_testkit::hostile::SHEETS;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: hostile-sheets DIR [NAME...]");
        return ExitCode::from(2);
    };
    let names: Vec<String> = arguments.collect();
    if let Some(unknown) = names
        .iter()
        .find(|name| SHEETS.iter().all(|sheet| sheet.name != **name))
    {
        eprintln!("there is no sheet `{unknown}`");
        return ExitCode::from(2);
    }
    for sheet in SHEETS {
        if !names.is_empty() && names.iter().all(|name| name != sheet.name) {
            continue;
        }
        let path = folder.join(format!("{}.kif", sheet.name));
        if let Err(error) = std::fs::write(&path, (sheet.text)()) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
