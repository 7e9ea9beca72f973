//! Runs what is fuzzed over the corpora, so that whatever fuzzing once reached stays true.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use twp_fuzz_targets::TARGETS;

/// Far more than any input takes, even where two cores do ten things.
const INPUT_TIME_MAX: Duration = Duration::from_secs(5);
/// Bytes of all corpora together: they are read by people who clone the project.
const CORPORA_BYTES_MAX: u64 = 500_000;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus")
}

fn inputs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a corpus for each target");
    let mut inputs: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    inputs.sort();
    inputs
}

#[test]
fn what_fuzzing_reached_stays_true() {
    for (name, target) in TARGETS {
        let inputs = inputs(&corpora().join(name));
        let (begin, mut slowest) = (Instant::now(), Duration::ZERO);
        for input in &inputs {
            let bytes = fs::read(input).expect("a readable input");
            // Shown only when the test fails: the last one is the one that did it.
            println!("{}", input.display());
            let started = Instant::now();
            target(&bytes);
            slowest = slowest.max(started.elapsed());
        }
        println!("{name}: {} inputs in {:?}, slowest {slowest:?}", inputs.len(), begin.elapsed());
        assert!(inputs.len() >= 10, "{name}: {} inputs", inputs.len());
        assert!(slowest < INPUT_TIME_MAX, "{name}: an input took {slowest:?}");
    }
}

#[test]
fn corpora_are_small_and_have_a_target() {
    let mut bytes = 0;
    for folder in inputs(&corpora()) {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(TARGETS.iter().any(|(target, _)| *target == name), "no target `{name}`");
        for input in inputs(&folder) {
            bytes += fs::metadata(input).expect("a file").len();
        }
    }
    println!("{bytes} bytes");
    assert!(bytes < CORPORA_BYTES_MAX, "{bytes} bytes; see the README about minimising");
}
