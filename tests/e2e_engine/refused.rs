//! Starts programs where executable memory is refused.
#![expect(unsafe_code, reason = "what is refused must be set between fork and exec")]

#[path = "../../compiler/tests/native_refused/refusal.rs"]
mod refusal;

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Who refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A system call filter, as service managers and container runtimes set it.
    Filter,
    /// The kernel, by `PR_SET_MDWE`.
    Kernel,
}

impl Refusal {
    /// Those that this kernel has; the filter is always among them.
    pub(crate) fn available() -> Vec<Refusal> {
        let has_switch = {
            let mut probe = Command::new("true");
            Refusal::Kernel.before_start(&mut probe);
            probe.status().is_ok_and(|status| status.success())
        };
        if has_switch {
            return vec![Refusal::Filter, Refusal::Kernel];
        }
        println!("this kernel has no PR_SET_MDWE");
        vec![Refusal::Filter]
    }

    /// Makes the command start its program with executable memory refused, to itself and to all that it starts.
    pub(crate) fn before_start(self, command: &mut Command) {
        let refuse: fn() -> io::Result<()> = match self {
            Refusal::Filter => refusal::by_filter,
            Refusal::Kernel => refusal::by_kernel,
        };
        // SAFETY: between fork and exec it only makes system calls; it takes no lock and allocates nothing.
        unsafe { command.pre_exec(refuse) };
    }
}
