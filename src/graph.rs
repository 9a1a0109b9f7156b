//! `hasse graph`: a picture of a program.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::picture::scene::Scene;
use crate::picture::{dot, mermaid, svg};
use crate::program::Program;
use crate::run::refuse_same_file;
use crate::{Ending, report, suggest, whole_file};

/// Draw a program
///
/// Works for programs with errors, too, as long as they can be read: what is there is drawn.
#[derive(clap::Args)]
pub(crate) struct GraphArgs {
    /// The program file
    program: PathBuf,
    #[command(flatten)]
    asked: GraphAsked,
}

/// Draw the program
#[derive(clap::Args)]
pub(crate) struct GraphAsked {
    /// What to write [default: by the ending of FILE, else svg]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Draw this graph only
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// Write into this file in place of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
    /// For Markdown pages
    Mermaid,
}

impl Format {
    /// The form that the ending of a file's name stands for.
    fn of_file(path: Option<&Path>) -> Self {
        let ending = path.and_then(Path::extension).unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("dot" | "gv") => Format::Dot,
            Some("mmd" | "mermaid" | "md") => Format::Mermaid,
            _ => Format::Svg,
        }
    }
}

/// Draws a program.
pub(crate) fn graph(args: &GraphArgs, linked: &Linked) -> Result<Ending, Fault> {
    draw(&args.asked, &Program::read(&args.program, linked)?)
}

/// Draws a program whose text is known.
pub(crate) fn draw(args: &GraphAsked, program: &Program) -> Result<Ending, Fault> {
    let mut graphs = match hasse_compiler::outline(&program.text) {
        Ok(graphs) => graphs,
        Err(diagnostics) => {
            report::print_diagnostics(program, &diagnostics);
            return Ok(Ending::Failed);
        }
    };
    if let Some(name) = &args.graph {
        if !graphs.iter().any(|graph| graph.name == *name) {
            let names: Vec<&str> = graphs.iter().map(|graph| graph.name.as_str()).collect();
            let all = format!("its graphs are: {}", names.join(", "));
            let help = suggest::help(name, names.iter().copied(), &all);
            return Err(Fault::UnknownGraph { name: name.clone(), help });
        }
        graphs.retain(|graph| graph.name == *name);
    }
    // The main graph comes first.
    graphs.sort_by_key(|graph| !graph.is_main);
    let scene = Scene::new(&graphs);
    let name = program.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let picture = match args.format.unwrap_or_else(|| Format::of_file(args.out.as_deref())) {
        Format::Dot => dot::write(&scene, &name),
        Format::Svg => svg::write(&scene, &program.text, &name),
        Format::Mermaid => mermaid::write(&scene),
    };
    match &args.out {
        Some(path) => {
            refuse_same_file(path, &program.path, "the program")?;
            whole_file::write_bytes(path, picture.as_bytes())
                .map_err(|source| Fault::Write { path: path.clone(), source })?;
        }
        None => {
            let mut out = Out::new();
            out.write_all(picture.as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
        }
    }
    Ok(Ending::Fine)
}
