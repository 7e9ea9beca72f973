//! Every example, and every `twp` block of the pages, is accepted; every example does what its first comment says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use twp_testkit::{Message, Program, exchange, free_port};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder of the repository");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = paths.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

/// Runs `twpc check` and gives what it has to say; `None` when it is content and silent about it.
fn complaint(file: &Path) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_twpc")).arg("check").arg(file).output().expect("twpc runs");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let quiet = output.status.success() && !said.contains("warning") && !said.contains("error");
    (!quiet).then(|| format!("{}: {}\n{said}", file.display(), output.status))
}

#[test]
fn every_example_is_accepted_without_a_warning() {
    let complaints: Vec<_> = files("examples", "twp").iter().filter_map(|file| complaint(file)).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// `TWP_BLESS=1` writes the page anew.
#[test]
fn the_page_of_the_settings_is_what_the_table_says() {
    let path = root().join("docs/language/settings.md");
    let page = twp_lang::catalogue::page();
    if std::env::var_os("TWP_BLESS").is_some() {
        fs::write(&path, &page).expect("the page is written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == page, "TWP_BLESS=1 writes docs/language/settings.md; it would be:\n{page}");
}

/// A running example on free ports.
struct Example {
    twp: Program,
}

impl Example {
    fn start(name: &str) -> Self {
        let text = fs::read_to_string(root().join("examples").join(name)).expect("an example");
        let text = text.replace("127.0.0.1:8081", &format!("127.0.0.1:{}", free_port()));
        Self {
            twp: Program::start(
                env!("CARGO_BIN_EXE_twp"),
                &text.replace("127.0.0.1:8080", "127.0.0.1:{port}"),
            ),
        }
    }

    fn ask(&self, line: &str, host: &str, fields: &str) -> Message {
        let request = format!("{line} HTTP/1.1\r\nhost: {host}\r\n{fields}connection: close\r\n\r\n");
        let mut seen = exchange(self.twp.addr(), request);
        assert_eq!(seen.responses.len(), 1, "{line} of {host}: one answer");
        seen.responses.remove(0)
    }

    /// Asks, and compares the status and a piece of the whole answer.
    fn expect(&self, line: &str, host: &str, (status, piece): (u16, &str)) {
        let answer = self.ask(line, host, "");
        let text = format!("{}{}", answer.head, String::from_utf8_lossy(&answer.body));
        assert_eq!(answer.status(), Some(status), "{line} of {host}: {text}");
        assert!(text.contains(piece), "{line} of {host}: `{piece}` is not in {text}");
    }
}

#[test]
fn quickstart() {
    let example = Example::start("01-quickstart.twp");
    example.expect("GET /hello", "x.test", (200, "hello from twp"));
    example.expect("GET /users/42?verbose=1", "x.test", (200, r#""path":"/v2/users/42""#));
    example.expect("GET /nothing-here", "x.test", (404, "x-served-by: twp"));
    example.expect("DELETE /hello", "x.test", (405, "GET, HEAD"));
}

#[test]
fn sites() {
    let example = Example::start("02-sites.twp");
    example.expect("GET /", "example.com", (200, r#""method":"GET""#));
    example.expect("GET /cart?add=7", "www.example.com", (308, "http://example.com/cart?add=7"));
    example.expect("GET /", "blue.tenants.example.com", (200, r#""x-tenant":"blue""#));
    example.expect("GET /", "some.example.com", (200, "some name below example.com"));
    example.expect("GET /", "a.b.example.net", (200, "anything below example.net"));
    example.expect("GET /", "a.b.example.com", (404, "no such site"));
}

#[test]
fn groups_and_guards() {
    let example = Example::start("03-groups-and-guards.twp");
    example.expect("GET /admin/users", "x.test", (200, r#""path":"/admin/users""#));
    example.expect("DELETE /admin/users/7", "x.test", (200, r#""method":"DELETE""#));
    example.expect("GET /admin", "x.test", (404, "no such admin page"));
    example.expect("GET /reports/2026", "x.test", (403, "readers only"));
    let reader = example.ask("GET /reports/2026", "x.test", "x-role: editor\r\n");
    assert_eq!((reader.status(), reader.field("cache-control")), (Some(200), Some("no-store")));
    example.expect("GET /else", "x.test", (200, r#""path":"/else""#));
}

#[test]
fn headers_and_rewrites() {
    let example = Example::start("04-headers-and-rewrites.twp");
    let answer = example.ask("GET /shop/cart?item=3", "x.test", "cookie: theme=dark\r\nx-debug: 1\r\n");
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    for piece in [
        r#""path":"/cart""#,
        r#""host":"shop.internal""#,
        r#""x-original":"http://x.test/shop/cart?item=3""#,
        r#""x-theme":"dark""#,
        r#""x-item":"3""#,
        r#""x-client":"127.0.0.1""#,
    ] {
        assert!(body.contains(piece), "`{piece}` is not in {body}");
    }
    assert!(!body.contains("x-debug"), "{body}");
    assert_eq!(
        (answer.field("vary"), answer.field("x-content-type-options")),
        (Some("cookie"), Some("nosniff"))
    );
    example.expect("GET /old/page", "x.test", (200, r#""path":"/new/page""#));
    example.expect("POST /old/page", "x.test", (200, "x-moved: write"));
    example.expect("GET /none", "x.test", (404, "nosniff"));
}

#[test]
fn redirects_and_maintenance() {
    let example = Example::start("05-redirects-and-maintenance.twp");
    example.expect("GET /blog/2024/hello?ref=a", "x.test", (301, "/articles/hello?ref=a"));
    example.expect("GET /docs", "x.test", (308, "/docs/"));
    example.expect("GET /docs/a/b", "x.test", (302, "https://docs.example.com/a/b"));
    example.expect("GET /shop", "x.test", (200, r#""path":"/shop""#));
    example.expect("GET /shop?beta=1", "x.test", (307, "/shop-next?beta=1"));
    let text = fs::read_to_string(example.twp.site()).expect("the running file");
    let text = text.replace("const maintenance = false", "const maintenance = true");
    fs::write(example.twp.site(), text).expect("the running file");
    let (code, out, err) = example.twp.command("reload");
    assert_eq!(code, Some(0), "{out}{err}");
    example.expect("GET /shop", "x.test", (503, "back soon"));
}

#[test]
fn captures() {
    let example = Example::start("06-captures.twp");
    example.expect("GET /users/42", "x.test", (200, "small user 42"));
    example.expect("GET /users/100", "x.test", (200, "user 100"));
    example.expect("GET /users/ada", "x.test", (200, "user called ada"));
    example.expect("GET /users/042", "x.test", (200, "user called 042"));
    let order = "123e4567-e89b-12d3-a456-426614174000";
    example.expect(
        &format!("GET /orders/{order}"),
        "x.test",
        (200, &format!(r#""path":"/v1/orders/{order}""#)),
    );
    example.expect("GET /orders/7", "x.test", (404, ""));
    example.expect("GET /blobs/C0ffee", "x.test", (200, "blob C0ffee"));
    example.expect("GET /v2/status", "x.test", (200, "version 2"));
    example.expect("GET /images/cat.jpg", "x.test", (200, "picture cat"));
    example.expect("GET /de/hilfe", "x.test", (200, "hilfe in de"));
    example.expect("GET /files/", "x.test", (200, "file "));
    example.expect("GET /files/a/b", "x.test", (200, "file a/b"));
}

#[test]
fn upstreams_and_limits() {
    let example = Example::start("07-upstreams-and-limits.twp");
    example.expect("GET /healthz", "x.test", (200, "ok"));
    let large =
        format!("POST /healthz HTTP/1.1\r\nhost: x.test\r\nx-large: {}\r\n\r\n", "a".repeat(17 * 1024));
    assert_eq!(exchange(example.twp.addr(), large).statuses(), [431]);
    let log = example.twp.site().with_file_name("twp-access.log");
    assert!(log.exists(), "the log stands where the file says");
}
