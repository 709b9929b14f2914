//! x
use ludens_engine::{Budget, Game};
use ludens_solve::{Method, Options, solve};
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let source = match ludens_library::find(&name) {
        Some(e) => e.source(),
        None => ludens_gdl::Source::from_bytes(name.clone(), std::fs::read(&name).unwrap()),
    };
    let game = Game::read(source).unwrap();
    let memory = std::env::args()
        .nth(2)
        .map_or(8usize << 30, |m| m.parse::<usize>().unwrap() << 20);
    let options = Options {
        method: Method::Explicit,
        memory,
        ..Options::default()
    };
    let start = std::time::Instant::now();
    let last = std::sync::Mutex::new(None);
    let (report, _solution) = solve(&game, &options, &Budget::default(), &|p| {
        let mut last = last.lock().unwrap();
        if *last != Some(p.phase) {
            eprintln!("{:?} at {:?}", p.phase, start.elapsed());
            *last = Some(p.phase);
        }
    })
    .unwrap();
    println!(
        "{name}: {:?} reach {} term {} layers {} classified {} unclassified {} stop {:?} mem {:?}MB in {:?}",
        report.values,
        report.reachable,
        report.terminal,
        report.layers.len(),
        report.classified,
        report.unclassified,
        report.stop,
        report.peak_memory.map(|m| m >> 20),
        start.elapsed()
    );
    for b in &report.buckets {
        println!("  {:?} {}", b.goals, b.states);
    }
    println!(
        "  {}",
        report
            .distances
            .iter()
            .map(|d| d.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    );
}
