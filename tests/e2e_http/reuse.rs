//! Policies and mounted routes, as a client and an origin see them.

use twp_testkit::{Origin, Program, Reply, exchange};

use crate::{TWP, get};

#[test]
fn headers_of_a_policy_reach_both_sides_through_a_mount() {
    let origin = Origin::start(|_| Reply::ok("hello"));
    let config = format!(
        "edition 1
server {{ workers: 1 }}
listener web {{ plain: [127.0.0.1:{{port}}] }}
policy marked(tag: String) {{
  set request.header[\"x-tag\"] = tag
  set response.header[\"x-tag\"] = \"seen ${{tag}}\"
  require request.query[\"closed\"].is_none else respond 503 body \"${{tag}} is closed\"
}}
routes pages(target: Upstream) {{
  route /{{name}} as page {{ apply marked(name)  rewrite path /v2/{{name}}  to target }}
  fallback {{ respond 404 body \"no page\" }}
}}
site a.test on web {{ mount pages({}) at /pages  to {} }}
",
        origin.addr(),
        origin.addr()
    );
    let twp = Program::start(TWP, &config);
    let seen = exchange(twp.addr(), get("/pages/ann"));
    assert_eq!(seen.statuses(), [200]);
    assert_eq!(seen.responses[0].field("x-tag"), Some("seen ann"));
    let arrived = origin.requests().remove(0);
    assert_eq!(arrived.field("x-tag"), Some("ann"), "{}", arrived.head);
    assert!(arrived.head.starts_with("GET /v2/ann HTTP/1.1\r\n"), "{}", arrived.head);
    let closed = exchange(twp.addr(), get("/pages/ann?closed=1"));
    assert_eq!(closed.statuses(), [503]);
    assert_eq!(closed.responses[0].field("x-tag"), Some("seen ann"), "it was set before the answer");
    assert_eq!(exchange(twp.addr(), get("/pages/a/b")).statuses(), [404]);
}
