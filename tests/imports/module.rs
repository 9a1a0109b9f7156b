//! The tree of a crate's modules, without those of its tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::{Attribute, Expr, ExprLit, Item, ItemMod, Lit, Meta};

/// A module: a file, or a block within one.
pub struct Module {
    /// Path from the root, without `crate`.
    pub path: Vec<String>,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    /// The module whose file holds it: itself, unless it is a block.
    pub file_module: usize,
    pub file: PathBuf,
    pub items: Vec<Item>,
}

/// The modules of one crate; the first one is the root.
pub struct Tree {
    pub own_name: String,
    pub modules: Vec<Module>,
}

impl Module {
    /// Returns the path as it is shown: `check::model`, or `crate` for the root.
    pub fn name(&self) -> String {
        if self.path.is_empty() { "crate".to_owned() } else { self.path.join("::") }
    }
}

impl Tree {
    /// Reads a crate from its root file on. `read` returns the text of a file, if it exists.
    pub fn read(own_name: &str, root: &Path, read: &dyn Fn(&Path) -> Option<String>) -> Self {
        let mut tree = Self { own_name: own_name.to_owned(), modules: Vec::new() };
        let text = read(root).unwrap_or_else(|| panic!("{} cannot be read", root.display()));
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        tree.add_file(Vec::new(), None, root.to_owned(), &text, folder, read);
        tree
    }

    /// Adds a file and all below it. `folder` is where the files of its children are.
    fn add_file(
        &mut self,
        path: Vec<String>,
        parent: Option<usize>,
        file: PathBuf,
        text: &str,
        folder: PathBuf,
        read: &dyn Fn(&Path) -> Option<String>,
    ) -> usize {
        let mut items = syn::parse_file(text)
            .unwrap_or_else(|error| {
                panic!("{}:{}: {error}", file.display(), error.span().start().line);
            })
            .items;
        let index = self.modules.len();
        self.modules.push(Module {
            path,
            parent,
            children: BTreeMap::new(),
            file_module: index,
            file,
            items: Vec::new(),
        });
        self.add_children(index, &mut items, &folder, read);
        self.modules[index].items = items;
        index
    }

    fn add_children(
        &mut self,
        parent: usize,
        items: &mut [Item],
        folder: &Path,
        read: &dyn Fn(&Path) -> Option<String>,
    ) {
        for item in items {
            let Item::Mod(item) = item else { continue };
            if is_for_tests(&item.attrs) {
                continue;
            }
            let name = item.ident.to_string();
            let child = self.add_child(parent, item, &name, folder, read);
            self.modules[parent].children.insert(name, child);
        }
    }

    fn add_child(
        &mut self,
        parent: usize,
        item: &mut ItemMod,
        name: &str,
        folder: &Path,
        read: &dyn Fn(&Path) -> Option<String>,
    ) -> usize {
        let mut path = self.modules[parent].path.clone();
        path.push(name.to_owned());
        let written = path_attribute(&item.attrs);
        if let Some((_, mut items)) = item.content.take() {
            let index = self.modules.len();
            let file_module = self.modules[parent].file_module;
            let file = self.modules[parent].file.clone();
            let children = BTreeMap::new();
            self.modules.push(Module {
                path,
                parent: Some(parent),
                children,
                file_module,
                file,
                items: Vec::new(),
            });
            self.add_children(index, &mut items, &folder.join(written.as_deref().unwrap_or(name)), read);
            self.modules[index].items = items;
            return index;
        }
        let candidates = match written {
            Some(written) => {
                let file = self.modules[parent].file.parent().unwrap_or(Path::new("")).join(written);
                let folder = file.parent().unwrap_or(Path::new("")).to_owned();
                vec![(file, folder)]
            }
            None => vec![
                (folder.join(format!("{name}.rs")), folder.join(name)),
                (folder.join(name).join("mod.rs"), folder.join(name)),
            ],
        };
        for (file, folder) in candidates {
            if let Some(text) = read(&file) {
                return self.add_file(path, Some(parent), file, &text, folder, read);
            }
        }
        panic!("module {} of {} has no file", path.join("::"), self.modules[parent].file.display());
    }
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("path") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Returns true if an item is compiled for tests only: under `cfg(test)`, `cfg(all(test, ...))` or as a `#[test]`.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<Meta>().is_ok_and(|condition| match condition {
                    Meta::Path(path) => path.is_ident("test"),
                    Meta::List(list) if list.path.is_ident("all") => {
                        list.tokens.into_iter().any(|token| token.to_string() == "test")
                    }
                    _ => false,
                })
    })
}
