//! The ways in which a system refuses executable memory: a system call filter, and the kernel's own switch. Tests of
//! the program share this file.
#![expect(unsafe_code, reason = "neither can be had without the C library")]

use nix::libc;
use std::io;

/// Refuses `mprotect` with `PROT_EXEC`, as systemd's `MemoryDenyWriteExecute=` does, from now on for this thread and all
/// that it starts.
///
/// It allocates nothing, so it may run between fork and exec.
pub(crate) fn by_filter() -> io::Result<()> {
    let statement = |code: u32, k: u32| libc::sock_filter { code: short(code), jt: 0, jf: 0, k };
    let unless = |test: u32, k: u32, skip: u8| libc::sock_filter { jf: skip, ..statement(test, k) };
    let call = u32::try_from(libc::SYS_mprotect).expect("a small number");
    let (exec, refused) = (libc::PROT_EXEC.cast_unsigned(), libc::EACCES.cast_unsigned());
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    // Offsets in `seccomp_data`: the number of the call at 0, the lower half of its third argument at 32.
    let mut filter = [
        statement(load, 0),
        unless(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, call, 3),
        statement(load, 32),
        unless(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, exec, 1),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | refused),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 6, filter: filter.as_mut_ptr() };
    // SAFETY: takes numbers only; it makes the next call possible without privileges.
    done(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })?;
    // SAFETY: the kernel copies the filter, which lives until the end of this function.
    done(unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) })
}

/// Refuses it by `PR_SET_MDWE`, from now on for this process and all that it starts. Kernels before 6.3 answer EINVAL.
pub(crate) fn by_kernel() -> io::Result<()> {
    let refuse = libc::c_ulong::from(libc::PR_MDWE_REFUSE_EXEC_GAIN);
    let none: libc::c_ulong = 0;
    // SAFETY: takes numbers only.
    done(unsafe { libc::prctl(libc::PR_SET_MDWE, refuse, none, none, none) })
}

fn short(code: u32) -> u16 {
    u16::try_from(code).expect("codes have 16 bits")
}

fn done(answer: libc::c_int) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
