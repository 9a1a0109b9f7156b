//! Pages in Markdown, taken apart into blocks that a window draws one below the other.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A heading.
    Heading,
    /// A paragraph.
    Text,
    /// An item of a list.
    Item,
    /// Lines of a program or of a command.
    Code,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text: of code with its line breaks, of others as one line, code within in backquotes.
    pub text: String,
}

/// The blocks of a page, in its order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut kind = BlockKind::Text;
    let mut text = String::new();
    let mut take = |kind: BlockKind, text: &mut String| {
        let taken = std::mem::take(text);
        let shown = if kind == BlockKind::Code { taken.trim_end() } else { taken.trim() };
        if !shown.is_empty() {
            blocks.push(Block { kind, text: shown.to_owned() });
        }
    };
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::Heading { .. }) => kind = BlockKind::Heading,
            Event::Start(Tag::CodeBlock(_)) => kind = BlockKind::Code,
            Event::Start(Tag::Item) => {
                take(kind, &mut text);
                kind = BlockKind::Item;
            }
            Event::End(TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Paragraph | TagEnd::Item) => {
                take(kind, &mut text);
                kind = BlockKind::Text;
            }
            Event::Text(part) => text.push_str(&part),
            Event::Code(part) => {
                text.push('`');
                text.push_str(&part);
                text.push('`');
            }
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_taken_apart_in_its_order() {
        let page = "# E1: a head\n\nSays `this`\nand that.\n\n- one\n- two\n\n```toml\na = 1\n\nb = 2\n```\n\nEnds.\n";
        let found: Vec<(BlockKind, &str)> = vec![
            (BlockKind::Heading, "E1: a head"),
            (BlockKind::Text, "Says `this` and that."),
            (BlockKind::Item, "one"),
            (BlockKind::Item, "two"),
            (BlockKind::Code, "a = 1\n\nb = 2"),
            (BlockKind::Text, "Ends."),
        ];
        let blocks = blocks(page);
        assert_eq!(blocks.iter().map(|block| (block.kind, block.text.as_str())).collect::<Vec<_>>(), found);
    }
}
