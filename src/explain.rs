//! `hasse explain`: what a code means, with a program that triggers it and one that does not.
//!
//! The pages are the files of `docs/errors/`, carried in the binary.

use std::borrow::Cow;
use std::io::Write;

use serde_json::json;

use crate::ending::Ending;
use crate::error_pages::PAGES;
use crate::fault::Fault;
use crate::out::Out;
use crate::{out, suggest};

/// Explain a code such as E0104, or list all codes
#[derive(clap::Args)]
pub(crate) struct ExplainArgs {
    /// The code; `104` is short for `E0104`
    code: Option<String>,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Prints a page, or the list of codes.
pub(crate) fn explain(args: &ExplainArgs) -> Result<Ending, Fault> {
    if args.json {
        let only = args.code.as_deref().map(find).transpose()?;
        let pages = PAGES.iter().filter(|(_, page)| only.is_none_or(|only| only == *page));
        let codes = pages.map(|(code, page)| {
            let title = page.lines().next().unwrap_or_default();
            let title = title.split_once(": ").map_or(title, |(_, title)| title);
            json!({ "code": code, "title": title, "page": page })
        });
        out::print_json(&json!({ "codes": codes.collect::<Vec<_>>() }))?;
        return Ok(Ending::Fine);
    }
    let mut out = Out::new();
    let text = match &args.code {
        Some(code) => page_text(find(code)?),
        None => listing(),
    };
    out.write_all(text.as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    Ok(Ending::Fine)
}

fn find(code: &str) -> Result<&'static str, Fault> {
    let wanted = canonical(code);
    match PAGES.iter().find(|(known, _)| *known == wanted) {
        Some((_, page)) => Ok(page),
        None => {
            let help =
                suggest::help(&wanted, PAGES.iter().map(|(code, _)| *code), "`hasse explain` lists all");
            Err(Fault::UnknownCode { code: code.to_owned(), help })
        }
    }
}

/// `e104`, `104` and `E0104` mean the same.
fn canonical(code: &str) -> String {
    let code = code.trim().to_ascii_uppercase();
    let n_letters = code.chars().take_while(char::is_ascii_uppercase).count();
    let (letter, number) = code.split_at(n_letters);
    let letter = if letter.is_empty() { "E" } else { letter };
    match number.parse::<u16>() {
        Ok(number) => format!("{letter}{number:04}"),
        Err(_) => code,
    }
}

/// One line for each code: the pages' titles.
fn listing() -> String {
    let titles = PAGES.iter().filter_map(|(_, page)| page.lines().next());
    let lines: String = titles.map(|title| format!("{}\n", title.trim_start_matches("# "))).collect();
    format!("{lines}\n`hasse explain CODE` explains one of them.\n")
}

/// The page as a terminal shows it: programs are indented in place of their fences.
fn page_text(page: &str) -> String {
    let mut text = String::new();
    let mut is_program = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_program = !is_program;
            continue;
        }
        let shown = match line.trim_start_matches('#') {
            heading if !is_program && heading.len() < line.len() => Cow::Borrowed(heading.trim_start()),
            _ if is_program && !line.is_empty() => Cow::Owned(format!("    {line}")),
            _ => Cow::Borrowed(line),
        };
        text.push_str(&shown);
        text.push('\n');
    }
    text
}
