//! Where the system refuses executable memory, tables serve and the program says so.
#![expect(unsafe_code, reason = "a system call filter can only be set through the C library")]

use nix::libc;
use twp_compiler::{Engine, EngineChoice, Request};

/// Refuses `mprotect` with `PROT_EXEC`, as systemd's `MemoryDenyWriteExecute=` does, from now on for this thread.
fn refuse_executable_memory() {
    let statement = |code: u32, k: u32| libc::sock_filter { code: short(code), jt: 0, jf: 0, k };
    let unless = |test: u32, k: u32, skip: u8| libc::sock_filter { code: short(test), jt: 0, jf: skip, k };
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
    let answer = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    assert_eq!(answer, 0, "{}", std::io::Error::last_os_error());
    // SAFETY: the kernel copies the filter, which lives until the end of this function.
    let answer = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) };
    assert_eq!(answer, 0, "{}", std::io::Error::last_os_error());
}

fn short(code: u32) -> u16 {
    u16::try_from(code).expect("codes have 16 bits")
}

#[test]
fn tables_serve_without_executable_memory() {
    let source = "edition 1\nsite a.test { route /x/{id:int} when request.port == 80 { respond 200 } }";
    let (tree, _) = twp_lang::parse(source);
    let (program, diagnostics) = twp_lang::check(&tree);
    let program = program.unwrap_or_else(|| panic!("{diagnostics:#?}"));
    let mut artifact = twp_compiler::compile(&program).expect("within the limits");
    artifact.program.use_engine(EngineChoice::Native).expect("native code, as nothing is refused yet");
    assert!(matches!(artifact.program.engine(), Engine::Native { .. }));

    refuse_executable_memory();
    let reason = artifact.program.use_engine(EngineChoice::Native).expect_err("code that nobody may run");
    assert!(reason.starts_with("no executable memory"), "{reason}");
    artifact.program.use_engine(EngineChoice::Auto).expect("tables instead");
    let engine = artifact.program.engine();
    assert_eq!(engine, Engine::Table { reason: Some(reason) });
    println!("{engine}");
    let request = Request { host: "a.test".to_owned(), path: "/x/7".to_owned(), ..Request::default() };
    let route = request.with_view(&artifact.plan.slots, |view| artifact.program.decide(view));
    assert_eq!(route, Some(0));
}
