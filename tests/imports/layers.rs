//! The modules of the runtime are layers: each imports itself and those before it. `runtime/src/lib.rs` says what each one knows.

use std::fmt::Write as _;

use crate::import::Imports;
use crate::module::Tree;
use crate::workspace;

/// The layers of `hasse-runtime`, the lowest first. A module that is not in the list may be imported by all, and imports none.
const LAYERS: &[&str] = &["fire", "inspect", "run"];

fn layer_of(module: &str) -> &str {
    let path = module.strip_prefix("crate::").unwrap_or(module);
    path.split("::").next().unwrap_or(path)
}

#[test]
fn imports_of_the_runtime_point_one_way() {
    let roots = workspace::roots();
    let root = roots.iter().find(|root| root.name == "hasse-runtime").unwrap();
    let imports = Imports::of(&Tree::read(&root.own_name, &root.file, &workspace::read));
    let height = |module: usize| {
        let layer = layer_of(&imports.names[module]);
        LAYERS.iter().position(|known| *known == layer)
    };
    let mut n_checked = 0;
    let mut wrong = String::new();
    for ((from, to), sites) in &imports.edges {
        let (Some(height_from), Some(height_to)) = (height(*from), height(*to)) else {
            let is_leaf = height(*from).is_none() && height(*to).is_some() && *from != 0;
            if is_leaf {
                writeln!(wrong, "{} imports {}", imports.names[*from], imports.names[*to]).unwrap();
            }
            continue;
        };
        n_checked += 1;
        if height_from < height_to {
            let (from, to) = (&imports.names[*from], &imports.names[*to]);
            writeln!(wrong, "{from} imports {to}, which is in a higher layer:").unwrap();
            for site in sites {
                writeln!(wrong, "    {}:{}: {}", site.file, site.line, site.path).unwrap();
            }
        }
    }
    assert!(n_checked > 100, "only {n_checked} imports between layers");
    assert!(wrong.is_empty(), "\n{wrong}");
}
