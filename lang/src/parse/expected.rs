//! What the parser generator expected, in words of the language. Rule names never leave this file.

use super::grammar::Rule;

/// What could stand at a place where it could not go on: "`,` or `]`"; `None` when there is nothing to say.
pub(super) fn phrase(rules: &[Rule]) -> Option<String> {
    let mut words: Vec<&'static str> = rules.iter().filter_map(|rule| word(*rule)).collect();
    words.sort_unstable();
    words.dedup();
    // A value may be followed by so much that naming it all would hide what is missing.
    if words.len() > 1 {
        words.retain(|word| *word != "an operator");
    }
    if words.contains(&"a value") {
        words.retain(|word| *word == "a value" || *word == "`)`" || *word == "`]`" || *word == "`}`");
    }
    if words.contains(&"a statement, a setting or a route") {
        words.retain(|word| *word != "a statement" && *word != "a setting" && *word != "a name");
    }
    // Longer lists do not help anyone; what is named by a mark or word comes first in the order.
    words.truncate(4);
    let last = words.pop()?;
    if words.is_empty() { Some(last.to_owned()) } else { Some(format!("{} or {last}", words.join(", "))) }
}

/// The name of what a rule reads; `None` for rules that say nothing about what is missing.
#[expect(clippy::too_many_lines, reason = "a flat list of all rules")]
fn word(rule: Rule) -> Option<&'static str> {
    match rule {
        Rule::program
        | Rule::edition
        | Rule::use_decl
        | Rule::item
        | Rule::const_decl
        | Rule::env_decl
        | Rule::secret_decl
        | Rule::enum_decl
        | Rule::table_decl
        | Rule::fn_decl
        | Rule::rule_decl
        | Rule::policy_decl
        | Rule::routes_decl
        | Rule::server
        | Rule::listener
        | Rule::upstream
        | Rule::site
        | Rule::stream
        | Rule::forward
        | Rule::test
        | Rule::invariant
        | Rule::top_piece
        | Rule::site_head
        | Rule::server_head
        | Rule::listener_head
        | Rule::upstream_head
        | Rule::policy_head
        | Rule::routes_head
        | Rule::stream_head
        | Rule::forward_head
        | Rule::test_head
        | Rule::invariant_head => Some("a declaration"),
        Rule::mod_path | Rule::setting_value | Rule::setting_head | Rule::any_name | Rule::ident => {
            Some("a name")
        }
        Rule::params => Some("`(`"),
        Rule::param => Some("a parameter"),
        Rule::ty | Rule::cap_type | Rule::tident => Some("a type"),
        Rule::settings | Rule::open_brace => Some("`{`"),
        Rule::setting | Rule::setting_piece => Some("a setting"),
        Rule::site_item
        | Rule::route
        | Rule::group
        | Rule::mount
        | Rule::fallback
        | Rule::site_piece
        | Rule::route_head
        | Rule::group_head
        | Rule::fallback_head
        | Rule::body_piece => Some("a statement, a setting or a route"),
        Rule::method_set | Rule::method | Rule::method_lit => Some("a method"),
        Rule::block
        | Rule::body
        | Rule::stmt
        | Rule::let_stmt
        | Rule::set_stmt
        | Rule::remove_stmt
        | Rule::rewrite
        | Rule::when_stmt
        | Rule::require
        | Rule::apply
        | Rule::limit
        | Rule::cache
        | Rule::compress
        | Rule::on_response
        | Rule::on_error
        | Rule::stmt_piece
        | Rule::on_response_head
        | Rule::on_error_head
        | Rule::when_head => Some("a statement"),
        Rule::lvalue => Some("a field such as `request.header[\"…\"]`"),
        Rule::terminal
        | Rule::to
        | Rule::respond
        | Rule::redirect
        | Rule::files
        | Rule::split
        | Rule::close => Some("an answer such as `to`, `respond` or `redirect`"),
        Rule::arm => Some("an arm such as `5% to app`"),
        Rule::test_item
        | Rule::t_request
        | Rule::t_field
        | Rule::t_upstream
        | Rule::t_files
        | Rule::t_expect => Some("a line of a test"),
        Rule::inv_item => Some("`never` or `always`"),
        Rule::expr
        | Rule::prefix
        | Rule::postfix
        | Rule::arg
        | Rule::primary
        | Rule::if_expr
        | Rule::list
        | Rule::map
        | Rule::literal
        | Rule::raw_string
        | Rule::bool => Some("a value"),
        Rule::infix
        | Rule::op_cmp
        | Rule::op_else
        | Rule::op_range
        | Rule::op_add
        | Rule::op_mul
        | Rule::k_or
        | Rule::k_and
        | Rule::k_in
        | Rule::k_not_in
        | Rule::k_matches
        | Rule::k_starts
        | Rule::k_ends
        | Rule::k_contains => Some("an operator"),
        Rule::close_brace => Some("`}`"),
        Rule::close_paren => Some("`)`"),
        Rule::close_bracket => Some("`]`"),
        Rule::comma => Some("`,`"),
        Rule::colon => Some("`:`"),
        Rule::equals => Some("`=`"),
        Rule::arrow => Some("`=>`"),
        Rule::result => Some("`->`"),
        Rule::int => Some("a number"),
        Rule::percent => Some("a percentage"),
        Rule::endpoint => Some("an address with a port"),
        Rule::dns_name | Rule::host_pat | Rule::host_cap => Some("a host"),
        Rule::string => Some("a text"),
        Rule::path_lit | Rule::path_pat | Rule::path_tpl => Some("a path"),
        Rule::pat_seg | Rule::pat_lit | Rule::capture | Rule::rest_mark | Rule::tpl_cap => {
            Some("a piece of a path")
        }
        Rule::url => Some("a URL"),
        Rule::uident => Some("a name in capital letters"),
        Rule::k_edition => Some("`edition`"),
        Rule::k_use => Some("`use`"),
        Rule::k_as => Some("`as`"),
        Rule::k_pub => Some("`pub`"),
        Rule::k_const => Some("`const`"),
        Rule::k_env => Some("`env`"),
        Rule::k_secret => Some("`secret`"),
        Rule::k_from => Some("`from`"),
        Rule::k_file => Some("`file`"),
        Rule::k_enum => Some("`enum`"),
        Rule::k_table => Some("`table`"),
        Rule::k_fn => Some("`fn`"),
        Rule::k_rule => Some("`rule`"),
        Rule::k_policy => Some("`policy`"),
        Rule::k_listener => Some("`listener`"),
        Rule::k_upstream => Some("`upstream`"),
        Rule::k_site => Some("`site`"),
        Rule::k_stream => Some("`stream`"),
        Rule::k_forward => Some("`forward`"),
        Rule::k_on => Some("`on`"),
        Rule::k_route => Some("`route`"),
        Rule::k_group => Some("`group`"),
        Rule::k_fallback => Some("`fallback`"),
        Rule::k_when => Some("`when`"),
        Rule::k_let => Some("`let`"),
        Rule::k_set => Some("`set`"),
        Rule::k_add => Some("`add`"),
        Rule::k_remove => Some("`remove`"),
        Rule::k_rewrite => Some("`rewrite`"),
        Rule::k_path => Some("`path`"),
        Rule::k_host => Some("`host`"),
        Rule::k_strip => Some("`strip`"),
        Rule::k_else => Some("`else`"),
        Rule::k_require => Some("`require`"),
        Rule::k_apply => Some("`apply`"),
        Rule::k_limit => Some("`limit`"),
        Rule::k_cache => Some("`cache`"),
        Rule::k_compress => Some("`compress`"),
        Rule::k_response => Some("`response`"),
        Rule::k_error => Some("`error`"),
        Rule::k_to => Some("`to`"),
        Rule::k_tunnel => Some("`tunnel`"),
        Rule::k_respond => Some("`respond`"),
        Rule::k_body => Some("`body`"),
        Rule::k_redirect => Some("`redirect`"),
        Rule::k_files => Some("`files`"),
        Rule::k_split => Some("`split`"),
        Rule::k_sticky => Some("`sticky`"),
        Rule::k_close => Some("`close`"),
        Rule::k_test => Some("`test`"),
        Rule::k_request => Some("`request`"),
        Rule::k_responds => Some("`responds`"),
        Rule::k_fails => Some("`fails`"),
        Rule::k_lack => Some("`lack`"),
        Rule::k_expect => Some("`expect`"),
        Rule::k_status => Some("`status`"),
        Rule::k_invariant => Some("`invariant`"),
        Rule::k_never => Some("`never`"),
        Rule::k_reaches => Some("`reaches`"),
        Rule::k_any => Some("`any`"),
        Rule::k_server => Some("`server`"),
        Rule::k_routes => Some("`routes`"),
        Rule::k_mount => Some("`mount`"),
        Rule::k_at => Some("`at`"),
        Rule::k_always => Some("`always`"),
        Rule::k_gets => Some("`gets`"),
        Rule::k_if => Some("`if`"),
        Rule::k_then => Some("`then`"),
        Rule::doc
        | Rule::mod_doc
        | Rule::attr
        | Rule::op_neg
        | Rule::access
        | Rule::args
        | Rule::else_head
        | Rule::duration
        | Rule::size
        | Rule::rate
        | Rule::ipv4
        | Rule::ipv6
        | Rule::ip
        | Rule::cidr
        | Rule::label
        | Rule::str_text
        | Rule::str_esc
        | Rule::interp
        | Rule::regex
        | Rule::glob
        | Rule::path_char
        | Rule::idc
        | Rule::keyword
        | Rule::EOI
        | Rule::WHITESPACE
        | Rule::COMMENT
        | Rule::k_not
        | Rule::whole => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Rule, phrase};

    #[test]
    fn no_rule_name_is_shown() {
        for rule in Rule::all_rules() {
            let Some(text) = phrase(&[*rule]) else { continue };
            let name = format!("{rule:?}");
            let is_word = text == format!("`{name}`") || !name.contains('_');
            assert!(is_word || !text.contains(&name), "{name} is shown as {text}");
        }
    }

    #[test]
    fn expectations_are_joined() {
        assert_eq!(phrase(&[Rule::close_bracket, Rule::comma, Rule::k_or]), Some("`,` or `]`".to_owned()));
        assert_eq!(phrase(&[Rule::k_or, Rule::op_cmp]), Some("an operator".to_owned()));
        assert_eq!(phrase(&[Rule::doc]), None);
    }
}
