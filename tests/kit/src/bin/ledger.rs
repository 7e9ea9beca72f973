//! `ledger`: proves or disproves "no request lost" for any HTTP/1.1 proxy.
//!
//! It is client and origin in one process. It prints one JSON object and exits 0 when every request was answered
//! exactly once with the right body, 1 when one was not, 2 when it was called wrongly.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use twp_testkit::{Options, run};

const USAGE: &str =
    "usage: ledger --target ADDR --origin ADDR [--secs N] [--rate N] [--kept N] [--host NAME] [--path PATH]

  --target ADDR   the proxy under test
  --origin ADDR   where the ledger's own origin listens; the proxy must send requests there
  --secs N        how long requests start (10)
  --rate N        new connections per second, one request each (100)
  --kept N        kept connections with random gaps of 0 to 200 ms (10)
  --host NAME     the Host field (ledger.test)
  --path PATH     the path of every request (/ledger)
";

fn main() -> ExitCode {
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("ledger: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(report) => {
            println!("{}", report.to_json());
            ExitCode::from(u8::from(report.failed() > 0))
        }
        Err(error) => {
            eprintln!("ledger: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let (mut target, mut origin) = (None, None);
    let mut options = Options::default();
    while let Some(flag) = args.next() {
        let text = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--target" => target = Some(value::<SocketAddr>(&flag, &text)?),
            "--origin" => origin = Some(value::<SocketAddr>(&flag, &text)?),
            "--secs" => options.duration = Duration::from_secs(value(&flag, &text)?),
            "--rate" => options.rate = value(&flag, &text)?,
            "--kept" => options.kept = value(&flag, &text)?,
            "--host" => options.host = text,
            "--path" => options.path = text,
            other => return Err(format!("unknown option {other}")),
        }
    }
    options.target = target.ok_or("--target is missing")?;
    options.origin = origin.ok_or("--origin is missing")?;
    Ok(options)
}

fn value<T: FromStr>(flag: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{flag}: `{text}` is not a valid value"))
}
