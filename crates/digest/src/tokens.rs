//! The code of one file: its tokens without documentation and tests, its modules, the files that it includes.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// What counts of a file.
#[derive(Default)]
pub struct Code {
    /// The tokens, one after the other.
    pub text: String,
    /// Modules that have files of their own.
    pub modules: Vec<String>,
    /// Files of `include_str!` and `include_bytes!`, seen from the file.
    pub included: Vec<String>,
}

/// Reads a file.
///
/// # Errors
/// Text that is no Rust; a module's file named by `#[path]`; an included file whose name is computed.
pub fn read(text: &str) -> Result<Code, String> {
    let stream: TokenStream = text.parse().map_err(|error| format!("no Rust: {error}"))?;
    let mut code = Code::default();
    add(&mut code, stream, None)?;
    Ok(code)
}

/// Adds the tokens of a group, or of the file.
fn add(code: &mut Code, stream: TokenStream, group: Option<Delimiter>) -> Result<(), String> {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        if let Some((attribute, after)) = attribute(&tokens, at) {
            match attribute.as_str() {
                "cfg(test)" => at = after_item(&tokens, after),
                _ if attribute.starts_with("doc") => at = after,
                _ if attribute.starts_with("path") => return Err("a module's file is named by #[path]".to_owned()),
                _ => {
                    code.text.push_str(&format!("#[{attribute}] "));
                    at = after;
                }
            }
            continue;
        }
        if at + 1 == tokens.len() && is_punct(&tokens[at], ',') && !is_tuple_of_one(&tokens, group) {
            break; // a comma before the end is formatting
        }
        file(code, &tokens[at..])?;
        token(code, &tokens[at])?;
        at += 1;
    }
    Ok(())
}

/// Notes the file that a module or an inclusion names.
fn file(code: &mut Code, tokens: &[TokenTree]) -> Result<(), String> {
    match tokens {
        [TokenTree::Ident(word), TokenTree::Ident(name), end, ..] if word == "mod" && is_punct(end, ';') => {
            code.modules.push(name.to_string());
        }
        [TokenTree::Ident(word), mark, TokenTree::Group(group), ..]
            if (word == "include_str" || word == "include_bytes") && is_punct(mark, '!') =>
        {
            let name = group.stream().to_string();
            let plain =
                name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|n| !n.contains(['"', '\\']));
            code.included
                .push(plain.ok_or_else(|| format!("the name of an included file is computed: {name}"))?.to_owned());
        }
        _ => {}
    }
    Ok(())
}

fn token(code: &mut Code, token: &TokenTree) -> Result<(), String> {
    match token {
        TokenTree::Group(group) => {
            let (open, close) = brackets(group);
            code.text.push(open);
            add(code, group.stream(), Some(group.delimiter()))?;
            code.text.push(close);
        }
        TokenTree::Punct(punct) => {
            code.text.push(punct.as_char());
            if punct.spacing() == Spacing::Alone {
                code.text.push(' ');
            }
        }
        TokenTree::Ident(_) | TokenTree::Literal(_) => {
            code.text.push_str(&token.to_string());
            code.text.push(' ');
        }
    }
    Ok(())
}

fn brackets(group: &Group) -> (char, char) {
    match group.delimiter() {
        Delimiter::Parenthesis => ('(', ')'),
        Delimiter::Brace => ('{', '}'),
        Delimiter::Bracket => ('[', ']'),
        Delimiter::None => (' ', ' '),
    }
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Whether the comma at the end makes a tuple.
fn is_tuple_of_one(tokens: &[TokenTree], group: Option<Delimiter>) -> bool {
    group == Some(Delimiter::Parenthesis) && tokens.iter().filter(|token| is_punct(token, ',')).count() == 1
}

/// The attribute that starts at a token, without spaces, and where what follows it starts.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(String, usize)> {
    if !is_punct(&tokens[at], '#') {
        return None;
    }
    let inner = usize::from(tokens.get(at + 1).is_some_and(|token| is_punct(token, '!')));
    match tokens.get(at + 1 + inner) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
            let text: String = group.stream().to_string().split_whitespace().collect();
            Some((text, at + 2 + inner))
        }
        _ => None,
    }
}

/// Where the item that starts at a token ends.
fn after_item(tokens: &[TokenTree], mut at: usize) -> usize {
    while let Some((_, after)) = tokens.get(at).and_then(|_| attribute(tokens, at)) {
        at = after;
    }
    let words: Vec<String> = tokens[at..].iter().take(4).map(ToString::to_string).collect();
    let word = words.iter().find(|word| *word != "pub" && !word.starts_with('(')).map_or("", String::as_str);
    // These go on behind braces.
    let to_semicolon =
        matches!(word, "use" | "static" | "type") || (word == "const" && !words.iter().any(|w| w == "fn"));
    let end = tokens[at..].iter().position(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !to_semicolon,
        _ => is_punct(token, ';'),
    });
    end.map_or(tokens.len(), |end| at + end + 1)
}
