//! Where the values of `env` declarations come from: the process, or a file of `NAME=value` lines.

use std::collections::BTreeMap;
use std::fmt;
use twp_lang::hir::Required;

/// The values that are known.
#[derive(Clone, Debug, Default)]
pub enum Environment {
    /// None: what is accepted holds for all values.
    #[default]
    Unknown,
    /// Those of a file; others stay unknown.
    Listed(BTreeMap<String, String>),
    /// Those of this process; what has no default must be there.
    Process,
}

/// A line that is no `NAME=value`.
#[derive(Debug, PartialEq, Eq)]
pub struct LineError {
    line: usize,
}

impl Environment {
    /// Reads lines of `NAME=value`. Everything behind the first `=` is the value, without quotes or escapes; empty lines
    /// and lines that start with `#` say nothing.
    pub fn from_lines(text: &str) -> Result<Environment, LineError> {
        let mut values = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = line.split_once('=').ok_or(LineError { line: number })?;
            values.insert(name.trim().to_owned(), value.to_owned());
        }
        Ok(Environment::Listed(values))
    }

    /// The value of a variable, when it is known and text.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        match self {
            Environment::Unknown => None,
            Environment::Listed(values) => values.get(name).cloned(),
            Environment::Process => std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
        }
    }

    /// What must be there.
    pub(crate) fn required(&self) -> Required {
        match self {
            Environment::Unknown | Environment::Listed(_) => Required::Nothing,
            Environment::Process => Required::All,
        }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is not `NAME=value`", self.line)
    }
}

impl std::error::Error for LineError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_names_and_values() {
        let found = Environment::from_lines("# who\nNAME=a=b \"c\"\n\nEMPTY=\n").expect("lines");
        assert_eq!(found.get("NAME").as_deref(), Some("a=b \"c\""));
        assert_eq!((found.get("EMPTY").as_deref(), found.get("# who")), (Some(""), None));
        assert_eq!(
            Environment::from_lines("A=1\nB").expect_err("no line").to_string(),
            "line 2 is not `NAME=value`"
        );
    }
}
