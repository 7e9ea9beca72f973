//! Memory of the process: giving back to the system what is free.

/// Gives free memory of the allocator back to the system, where the allocator can.
///
/// Compiling takes several times what serving does, and what it took lies between what stays. Takes some tens of
/// milliseconds for a large configuration.
pub(crate) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: `malloc_trim` may be called at any time and touches free memory only.
        #[expect(unsafe_code, reason = "there is no safe wrapper")]
        unsafe {
            nix::libc::malloc_trim(0);
        }
    }
}
