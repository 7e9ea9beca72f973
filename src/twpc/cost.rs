//! `twpc check --cost`: the worst case of each site as a table for people, as lines for grep, or as JSON.

use super::check::Format;
use serde::Serialize;
use std::fmt::Write as _;
use twp_compiler::Artifact;
use twp_compiler::cost::{Cost, Lengths, ProgramCost, SiteCost, cost};
use twp_runtime::wire::h1::HeadLimits;

/// The text for one file, with its line end.
pub(super) fn report(file: &str, artifact: &Artifact, format: Format) -> String {
    let limits = HeadLimits::of(&artifact.plan.server);
    let lengths = Lengths {
        target_bytes_max: limits.target_bytes_max as u64,
        head_bytes_max: limits.head_bytes_max as u64,
    };
    let counted = cost(artifact, lengths);
    match format {
        Format::Human => human(file, &counted, lengths),
        Format::Short => short(file, &counted),
        Format::Json => json(file, &counted, lengths),
    }
}

const HEADS: [&str; 8] =
    ["site", "routes", "steps", "tests", "lookups", "regex bytes", "search bytes", "table bytes"];

fn human(file: &str, counted: &ProgramCost, lengths: Lengths) -> String {
    let mut rows: Vec<[String; 8]> = vec![HEADS.map(str::to_owned)];
    for site in &counted.sites {
        rows.push(row(site_name(site), site.routes, &site.worst, site.table_bytes));
    }
    let routes = counted.sites.iter().map(|site| site.routes).sum();
    rows.push(row("all sites".to_owned(), routes, &counted.worst, counted.table_bytes));
    let mut out = format!("{file}: what one request can cost at most\n\n");
    for (number, cells) in rows.iter().enumerate() {
        if number + 1 == rows.len() {
            out.push('\n');
        }
        out.push_str(&aligned(cells, &rows));
    }
    out.push_str(&legend(lengths));
    if counted.sites.iter().any(|site| site.linear) {
        out.push_str(
            "\n* The graph of this site would be too large, so its routes are tried one after the other:\n  \
             correct, but slower with every route.\n",
        );
    }
    out
}

fn site_name(site: &SiteCost) -> String {
    if site.linear { format!("{} *", site.name) } else { site.name.clone() }
}

fn row(name: String, routes: usize, worst: &Cost, table_bytes: u64) -> [String; 8] {
    let Cost { steps, tests, probes, regex_bytes, search_bytes } = *worst;
    let [steps, tests, probes, regex_bytes, search_bytes, table_bytes] =
        [steps, tests, probes, regex_bytes, search_bytes, table_bytes].map(|count| count.to_string());
    [name, routes.to_string(), steps, tests, probes, regex_bytes, search_bytes, table_bytes]
}

/// The first column to the left, numbers to the right, each as wide as its widest cell.
fn aligned(cells: &[String; 8], rows: &[[String; 8]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let mut line = format!("{:<1$}", cells[0], width(0));
    for (column, cell) in cells.iter().enumerate().skip(1) {
        // Writing to a String cannot fail.
        let _ = write!(line, "  {cell:>0$}", width(column));
    }
    line + "\n"
}

fn legend(lengths: Lengths) -> String {
    let Lengths { target_bytes_max, head_bytes_max } = lengths;
    format!(
        "
routes        routes of the site, its fallback included
steps         questions of the decision graph on its longest way: method, path segments, conditions
tests         comparisons in conditions, up to the route and in its own statements; segments tried as typed captures
lookups       searches in tables: of the host, of segments with more than eight alternatives, of sets
regex bytes   bytes that regular expressions read, each byte once
search bytes  bytes that `contains` and globs read
table bytes   memory of the tables for regular expressions and for several texts of `contains`

Every figure is the worst case of its column alone, and `all sites` has the largest of each column: one request is
served by one site. Sums are routes and table bytes; a table that sites share counts once. Fields are taken to be as
long as the limits allow: a target of {target_bytes_max} bytes, a head of {head_bytes_max} bytes. For the built-in answers 404 and 405 the decision
is taken once more for each method that the site's routes name.
"
    )
}

fn short(file: &str, counted: &ProgramCost) -> String {
    let mut out = String::new();
    let mut line = |name: &str, Cost { steps, tests, probes, regex_bytes, search_bytes }, table_bytes| {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{file}: cost: {name}: steps={steps} tests={tests} lookups={probes} regex_bytes={regex_bytes} \
             search_bytes={search_bytes} table_bytes={table_bytes}"
        );
    };
    for site in &counted.sites {
        line(&site.name, site.worst, site.table_bytes);
    }
    line("all sites", counted.worst, counted.table_bytes);
    out
}

#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    cost: Counts<'a>,
}

#[derive(Serialize)]
struct Counts<'a> {
    target_bytes_max: u64,
    head_bytes_max: u64,
    sites: Vec<Site<'a>>,
    worst: Worst,
    table_bytes: u64,
}

#[derive(Serialize)]
struct Site<'a> {
    name: &'a str,
    routes: usize,
    linear: bool,
    methods: usize,
    #[serde(flatten)]
    worst: Worst,
    table_bytes: u64,
}

#[derive(Serialize)]
struct Worst {
    steps: u64,
    tests: u64,
    lookups: u64,
    regex_bytes: u64,
    search_bytes: u64,
}

impl From<Cost> for Worst {
    fn from(cost: Cost) -> Worst {
        let Cost { steps, tests, probes: lookups, regex_bytes, search_bytes } = cost;
        Worst { steps, tests, lookups, regex_bytes, search_bytes }
    }
}

fn json(file: &str, counted: &ProgramCost, lengths: Lengths) -> String {
    let sites = counted.sites.iter().map(|site| Site {
        name: &site.name,
        routes: site.routes,
        linear: site.linear,
        methods: site.methods,
        worst: site.worst.into(),
        table_bytes: site.table_bytes,
    });
    let cost = Counts {
        target_bytes_max: lengths.target_bytes_max,
        head_bytes_max: lengths.head_bytes_max,
        sites: sites.collect(),
        worst: counted.worst.into(),
        table_bytes: counted.table_bytes,
    };
    serde_json::to_string(&Report { file, cost }).expect("strings and numbers only") + "\n"
}
