//! The modules that each module imports, by its `use` declarations and by the paths in its code.
//!
//! An import is one of the deepest module that a path names: `crate::check::model::read` imports `check::model`. Re-exports
//! are not followed: who writes `check::Verdict` imports `check`, wherever the type is defined. The root is an exception, as it
//! is the crate's interface: its `pub use` are no imports, and who goes through one imports the module that it leads to.
//!
//! Names are looked up among the children of a module and what its `use` bind. A name that comes by a glob is not followed further: the
//! glob itself is the import.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Field, ImplItemFn, Item, ItemUse, Local, Macro, Meta, Path, UseName, UsePath, UseRename,
    UseTree, Variant, VisRestricted, Visibility,
};

use crate::module::{Tree, is_for_tests};

/// One path that imports a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    pub file: String,
    pub line: usize,
    /// The path as it is written, with nested `use` trees spread.
    pub path: String,
}

/// The imports among the modules of a crate.
#[derive(Default)]
pub struct Imports {
    /// Names of the modules, by their number. A block `mod name { ... }` is part of the module of its file.
    pub names: Vec<String>,
    /// For each pair of a module and one that it imports, the paths by which it does.
    pub edges: BTreeMap<(usize, usize), BTreeSet<Site>>,
}

/// A path in the code of a module.
struct Written {
    segments: Vec<String>,
    line: usize,
    is_use: bool,
}

/// What a `use` binds: a name and the path it is short for.
struct Binding {
    name: String,
    segments: Vec<String>,
    is_public: bool,
}

/// All paths of one module, without those of its children.
#[derive(Default)]
struct Collected {
    written: Vec<Written>,
    bindings: Vec<Binding>,
}

impl Imports {
    /// Returns the imports of a crate.
    pub fn of(tree: &Tree) -> Self {
        let collected: Vec<Collected> = tree
            .modules
            .iter()
            .map(|module| {
                let mut collected = Collected::default();
                let is_root = module.file_module == 0;
                module.items.iter().for_each(|item| collected.add(item, is_root));
                collected
            })
            .collect();
        let files: Vec<usize> =
            (0..tree.modules.len()).filter(|&index| tree.modules[index].file_module == index).collect();
        let number = |index: usize| files.binary_search(&tree.modules[index].file_module).unwrap();
        let mut edges: BTreeMap<(usize, usize), BTreeSet<Site>> = BTreeMap::new();
        let resolver = Resolver { tree, collected: &collected };
        for (index, module) in tree.modules.iter().enumerate() {
            for written in &collected[index].written {
                let Some(target) = resolver.resolve(index, &written.segments, written.is_use) else {
                    continue;
                };
                let (from, to) = (number(index), number(target));
                if from != to {
                    let file = module.file.display().to_string();
                    let path = written.segments.join("::");
                    edges.entry((from, to)).or_default().insert(Site { file, line: written.line, path });
                }
            }
        }
        Self { names: files.iter().map(|&index| tree.modules[index].name()).collect(), edges }
    }
}

struct Resolver<'a> {
    tree: &'a Tree,
    collected: &'a [Collected],
}

impl Resolver<'_> {
    /// Returns the deepest module that a path names in a module, if it names one of this crate.
    fn resolve(&self, module: usize, segments: &[String], is_use: bool) -> Option<usize> {
        if segments.len() < 2 && !is_use {
            return None;
        }
        self.walk(module, segments, 0)
    }

    /// Bindings can name each other, so that they are followed a few times at most.
    fn walk(&self, module: usize, segments: &[String], depth: usize) -> Option<usize> {
        let modules = &self.tree.modules;
        let (first, mut rest) = segments.split_first()?;
        let mut at = match first.as_str() {
            "crate" => 0,
            "self" => module,
            "super" => modules[module].parent?,
            name if modules[module].children.contains_key(name) => modules[module].children[name],
            name => {
                let binding = self.collected[module]
                    .bindings
                    .iter()
                    .find(|binding| binding.name == name && binding.segments != segments);
                return match binding {
                    Some(binding) if depth < 8 => {
                        let whole: Vec<String> = binding.segments.iter().chain(rest).cloned().collect();
                        self.walk(module, &whole, depth + 1)
                    }
                    None if name == self.tree.own_name => self.walk_from(0, rest, depth),
                    _ => None,
                };
            }
        };
        while let Some(("super", after)) = rest.split_first().map(|(name, after)| (name.as_str(), after)) {
            at = modules[at].parent?;
            rest = after;
        }
        self.walk_from(at, rest, depth)
    }

    fn walk_from(&self, module: usize, segments: &[String], depth: usize) -> Option<usize> {
        let mut at = module;
        let mut rest = segments;
        while let Some((name, after)) = rest.split_first() {
            let Some(&child) = self.tree.modules[at].children.get(name) else { break };
            at = child;
            rest = after;
        }
        let is_root = self.tree.modules[at].file_module == 0;
        if let Some((name, after)) = rest.split_first()
            && is_root
            && depth < 8
        {
            let exported =
                self.collected[at].bindings.iter().find(|binding| binding.is_public && binding.name == *name);
            if let Some(binding) = exported {
                let whole: Vec<String> = binding.segments.iter().chain(after).cloned().collect();
                return self.walk(at, &whole, depth + 1).or(Some(at));
            }
        }
        Some(at)
    }
}

impl Collected {
    fn add(&mut self, item: &Item, is_root: bool) {
        Collector { collected: self, is_root }.visit_item(item);
    }

    /// Adds the paths of a `use` tree below a prefix, which is on `line`.
    fn add_tree(
        &mut self,
        tree: &UseTree,
        prefix: &[String],
        line: usize,
        is_public: bool,
        is_counted: bool,
    ) {
        let line = match tree {
            UseTree::Path(UsePath { ident, .. })
            | UseTree::Name(UseName { ident })
            | UseTree::Rename(UseRename { ident, .. }) => ident.span().start().line,
            UseTree::Glob(_) | UseTree::Group(_) => line,
        };
        let mut add = |segments: Vec<String>, name: Option<String>| {
            if is_counted {
                self.written.push(Written { segments: segments.clone(), line, is_use: true });
            }
            if let Some(name) = name {
                self.bindings.push(Binding { name, segments, is_public });
            }
        };
        let with = |name: String| prefix.iter().cloned().chain([name]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => {
                self.add_tree(&path.tree, &with(path.ident.to_string()), line, is_public, is_counted);
            }
            // `use a::b::{self}` is short for `use a::b`.
            UseTree::Name(name) if name.ident == "self" && !prefix.is_empty() => {
                add(prefix.to_vec(), prefix.last().cloned());
            }
            UseTree::Name(name) => add(with(name.ident.to_string()), Some(name.ident.to_string())),
            UseTree::Rename(rename) if rename.ident == "self" && !prefix.is_empty() => {
                add(prefix.to_vec(), Some(rename.rename.to_string()));
            }
            UseTree::Rename(rename) => add(with(rename.ident.to_string()), Some(rename.rename.to_string())),
            UseTree::Glob(_) => add(prefix.to_vec(), None),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(tree, prefix, line, is_public, is_counted));
            }
        }
    }

    fn add_path(&mut self, path: &Path) {
        if path.leading_colon.is_none() {
            let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.written.push(Written {
                segments,
                line: path.segments[0].ident.span().start().line,
                is_use: false,
            });
        }
    }

    /// Adds the paths among tokens that nothing parses: arguments and rules of macros. With `in_attribute` texts are paths,
    /// too, as `serde` has them.
    fn add_tokens(&mut self, tokens: TokenStream, in_attribute: bool) {
        let mut segments: Vec<String> = Vec::new();
        let mut line = 0;
        // Number of colons since the last segment.
        let mut n_colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if n_colons != 2 {
                        self.end_path(&mut segments, line);
                        line = ident.span().start().line;
                    }
                    segments.push(ident.to_string());
                    n_colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !segments.is_empty() => n_colons += 1,
                TokenTree::Group(group) => {
                    self.end_path(&mut segments, line);
                    self.add_tokens(group.stream(), in_attribute);
                    n_colons = 0;
                }
                TokenTree::Literal(literal) if in_attribute => {
                    let text = literal.to_string();
                    if let Ok(path) = syn::parse_str::<Path>(text.trim_matches('"'))
                        && text.contains("::")
                    {
                        let segments =
                            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                        self.written.push(Written {
                            segments,
                            line: literal.span().start().line,
                            is_use: false,
                        });
                    }
                }
                _ => {
                    self.end_path(&mut segments, line);
                    n_colons = 0;
                }
            }
        }
        self.end_path(&mut segments, line);
    }

    fn end_path(&mut self, segments: &mut Vec<String>, line: usize) {
        let segments = std::mem::take(segments);
        if segments.len() > 1 {
            self.written.push(Written { segments, line, is_use: false });
        }
    }
}

struct Collector<'a> {
    collected: &'a mut Collected,
    is_root: bool,
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Const(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Macro(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Type(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            // Children are modules of their own.
            Item::Mod(_) => return,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_public = !matches!(item.vis, Visibility::Inherited);
        let is_counted = !(self.is_root && is_public);
        if item.leading_colon.is_none() {
            self.collected.add_tree(&item.tree, &[], 0, is_public, is_counted);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if !is_for_tests(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        if !is_for_tests(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if !is_for_tests(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        self.collected.add_path(path);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.collected.add_path(&called.path);
        self.collected.add_tokens(called.tokens.clone(), false);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.collected.add_tokens(list.tokens.clone(), true);
        }
    }

    /// `pub(super)` and `pub(in ...)` import nothing.
    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}
}
