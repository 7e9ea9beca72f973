//! Client connections: they yield requests, take responses, and know when to close.

pub(crate) mod h1;

/// Numbers of methods: their places in `Method::KNOWN`.
pub(crate) mod method {
    /// `GET`
    pub(crate) const GET: u8 = 0;
    /// `HEAD`
    pub(crate) const HEAD: u8 = 1;
    /// `PUT`
    pub(crate) const PUT: u8 = 3;
    /// `DELETE`
    pub(crate) const DELETE: u8 = 5;
    /// `OPTIONS`
    pub(crate) const OPTIONS: u8 = 6;
    /// `CONNECT`
    pub(crate) const CONNECT: u8 = 7;
    /// `TRACE`
    pub(crate) const TRACE: u8 = 8;

    /// Whether sending the request twice does no more than sending it once (RFC 9110 section 9.2.2).
    pub(crate) fn is_idempotent(method: u8) -> bool {
        matches!(method, GET | HEAD | PUT | DELETE | OPTIONS | TRACE)
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use twp_compiler::literal::Method;

        #[test]
        fn numbers_are_those_of_the_language() {
            for (number, method) in [
                (GET, Method::Get),
                (HEAD, Method::Head),
                (PUT, Method::Put),
                (DELETE, Method::Delete),
                (OPTIONS, Method::Options),
                (CONNECT, Method::Connect),
                (TRACE, Method::Trace),
            ] {
                assert_eq!(method.number(), Some(number));
            }
        }
    }
}
