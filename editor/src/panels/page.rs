//! Pages in Markdown, taken apart into blocks that a window draws one below the other.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

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
    /// The first row of a table.
    TableHead,
    /// Another row of a table.
    TableRow,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text: of code with its line breaks, of others as one line, code within in backquotes.
    pub text: String,
    /// The same with links, code and emphasis marked up in Markdown; of code as it is.
    pub markup: String,
    /// Cells of a row of a table, marked up; empty for other blocks.
    pub cells: Vec<String>,
}

/// The part of a block that was read so far.
#[derive(Default)]
struct Reader {
    text: String,
    markup: String,
    cells: Vec<String>,
    blocks: Vec<Block>,
}

impl Reader {
    fn take(&mut self, kind: BlockKind) {
        let (text, markup) = (std::mem::take(&mut self.text), std::mem::take(&mut self.markup));
        let cells = std::mem::take(&mut self.cells);
        let shown = |text: String| {
            if kind == BlockKind::Code { text.trim_end().to_owned() } else { text.trim().to_owned() }
        };
        let (text, markup) = (shown(text), shown(markup));
        if !text.is_empty() || !cells.is_empty() {
            self.blocks.push(Block { kind, text, markup, cells });
        }
    }

    fn take_cell(&mut self) {
        let markup = std::mem::take(&mut self.markup);
        self.cells.push(markup.trim().to_owned());
        self.text.push(' ');
    }

    fn push(&mut self, text: &str, markup: &str) {
        self.text.push_str(text);
        self.markup.push_str(markup);
    }
}

/// The blocks of a page, in its order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    let mut kind = BlockKind::Text;
    let mut n_pictures = 0_usize;
    let mut links = Vec::new();
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Image { .. }) => n_pictures += 1,
            Event::End(TagEnd::Image) => n_pictures = n_pictures.saturating_sub(1),
            // What is written in place of a picture is of no use beside the window itself.
            _ if n_pictures > 0 => {}
            Event::Start(Tag::Heading { .. }) => kind = BlockKind::Heading,
            Event::Start(Tag::CodeBlock(_)) => kind = BlockKind::Code,
            Event::Start(Tag::TableHead) => kind = BlockKind::TableHead,
            Event::Start(Tag::TableRow) => kind = BlockKind::TableRow,
            Event::Start(Tag::Item) => {
                reader.take(kind);
                kind = BlockKind::Item;
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                reader.markup.push('[');
                links.push(dest_url);
            }
            Event::End(TagEnd::Link) => {
                let link = links.pop().map(String::from).unwrap_or_default();
                reader.markup.push_str(&format!("]({link})"));
            }
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) => reader.markup.push_str("**"),
            Event::Start(Tag::Emphasis) | Event::End(TagEnd::Emphasis) => reader.markup.push('*'),
            Event::End(TagEnd::TableCell) => reader.take_cell(),
            Event::End(
                TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::Paragraph
                | TagEnd::Item
                | TagEnd::TableHead
                | TagEnd::TableRow,
            ) => {
                reader.take(kind);
                kind = BlockKind::Text;
            }
            Event::Text(part) if kind == BlockKind::Code => reader.push(&part, &part),
            Event::Text(part) => reader.push(&part, &escaped(&part)),
            Event::Code(part) => {
                let fence = if part.contains('`') { "``" } else { "`" };
                let pad = if part.contains('`') { " " } else { "" };
                reader.push(&format!("`{part}`"), &format!("{fence}{pad}{part}{pad}{fence}"));
            }
            Event::SoftBreak | Event::HardBreak => reader.push(" ", " "),
            _ => {}
        }
    }
    reader.blocks
}

/// A text in which no character is a mark.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii_punctuation() && !matches!(letter, ',' | ':' | ';' | '\'' | '"' | '/' | '?') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
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

    #[test]
    fn links_and_tables_are_marked_up() {
        let page = "See [the *keys*](keys.md#go), 2 * 3.\n\n| a | b |\n|---|---|\n| `x` | [y](z.md) |\n\n![none](p.png)\n";
        let blocks = blocks(page);
        assert_eq!(blocks[0].markup, "See [the *keys*](keys.md#go), 2 \\* 3\\.");
        assert_eq!(blocks[0].text, "See the keys, 2 * 3.");
        assert_eq!(
            (blocks[1].kind, &*blocks[1].cells),
            (BlockKind::TableHead, &["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(blocks[2].cells, ["`x`", "[y](z.md)"]);
        assert_eq!(blocks.len(), 3, "{blocks:?}");
    }
}
