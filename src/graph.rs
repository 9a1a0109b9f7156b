//! `hasse graph`: a picture of a program.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hasse_runtime::expansion::{DEFAULT_MAX_INSTANCES, MOST_INSTANCES};

use crate::ending::Ending;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::out::Out;
use crate::overwrite::refuse_same_file;
use crate::params::Setting;
use crate::picture::scene::Scene;
use crate::picture::{dot, mermaid, svg};
use crate::program::Program;
use crate::{report, suggest, whole_file};

/// The expanded graph.
mod expanded;

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
    /// What to write [default: by the ending of FILE, else svg, and text for the expanded graph]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Draw this graph only
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// Show the instances that may come to be in a run, in place of the nodes; the program is not run
    #[arg(long, conflicts_with = "graph")]
    expanded: bool,
    /// With --expanded: set a creation parameter of the main graph; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "expanded")]
    settings: Vec<Setting>,
    /// With --expanded: stop at so many instances
    #[arg(
        long,
        value_name = "N",
        requires = "expanded",
        default_value_t = DEFAULT_MAX_INSTANCES as u32,
        value_parser = clap::value_parser!(u32).range(1..=MOST_INSTANCES as i64)
    )]
    max_instances: u32,
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
    /// With --expanded: lines of text
    Text,
    /// With --expanded: one JSON object
    Json,
}

impl Format {
    /// The form that the ending of a file's name stands for; `None` for other endings.
    fn of_file(path: Option<&Path>) -> Option<Self> {
        let ending = path.and_then(Path::extension).unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("dot" | "gv") => Some(Format::Dot),
            Some("mmd" | "mermaid" | "md") => Some(Format::Mermaid),
            Some("svg") => Some(Format::Svg),
            Some("json") => Some(Format::Json),
            Some("txt") => Some(Format::Text),
            _ => None,
        }
    }
}

/// Draws a program.
pub(crate) fn graph(args: &GraphArgs, linked: &Linked) -> Result<Ending, Fault> {
    draw(&args.asked, &Program::read(&args.program, linked)?)
}

/// Draws a program whose text is known.
pub(crate) fn draw(args: &GraphAsked, program: &Program) -> Result<Ending, Fault> {
    if args.expanded {
        return expanded::draw(args, program);
    }
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
    let of_file = || Format::of_file(args.out.as_deref()).unwrap_or(Format::Svg);
    let picture = match args.format.unwrap_or_else(of_file) {
        Format::Dot => dot::write(&scene, &name),
        Format::Svg => svg::write(&scene, &program.text, &name),
        Format::Mermaid => mermaid::write(&scene),
        Format::Text => return Err(Fault::ExpandedOnly { format: "text" }),
        Format::Json => return Err(Fault::ExpandedOnly { format: "json" }),
    };
    put(args, program, &picture)?;
    Ok(Ending::Fine)
}

/// Writes a picture into the file that is asked for, or to standard output.
fn put(args: &GraphAsked, program: &Program, picture: &str) -> Result<(), Fault> {
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
    Ok(())
}
