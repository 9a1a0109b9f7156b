//! Scope, instances, events and names.

use std::collections::BTreeSet;
use std::io::Write;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use hasse_model::id::{ActionId, TemplateId};
use hasse_model::plan::Body;
use hasse_model::quantity::counted;
use hasse_model::record_options::{NamedOptions, Selector};
use hasse_model::trace::Names;
use hasse_runtime::control::{ActionState, StopPoint, statement_line};

use super::super::command::{Listed, Mode, Range, Symbol as Asked};
use super::super::complete::Known;
use super::super::job::Live;
use super::super::line::LineError;
use super::super::listing::{self, Filter};
use super::super::scope::{self, Scope};
use super::super::symbol::{Subject as Symbols, Symbol};
use super::super::wording::state as state_text;
use super::{Session, unplaced, written};
use crate::debug::table::row::Context;
use crate::fault::Fault;
use crate::suggest;

/// How long facilities are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Lines that are listed before and after a statement.
const AROUND: u64 = 5;
/// Most lines of a body that are listed where nobody asks for more.
const MOST_BODY_LINES: u64 = 60;
/// Most actions that paths are completed to.
const MOST_COMPLETED: usize = 2000;

impl Session<'_, '_> {
    pub(in super::super) fn select(&mut self, target: &str, column: usize) -> Result<(), Fault> {
        let next = match target {
            "-" => self.settings.last_scope.clone(),
            target => self.settings.scope.go(target, column, &self.subject.plan).map_err(unplaced)?,
        };
        // Of what was never recorded nothing is known, and it may be all right.
        if let (Some(count), Ok(source)) = (next.count(), self.source_of_events()) {
            let (n_recorded, is_there) = listing::executions(&source, &next, &self.subject_of_events().plan)?;
            if n_recorded > 0 && !is_there {
                let message =
                    format!("{} recorded, and {count} is not among them", counted(n_recorded, "execution"));
                return Err(unplaced(LineError::new(column, message, "`lse` lists them")));
            }
        }
        let settings = &mut self.settings;
        settings.last_scope = std::mem::replace(&mut settings.scope, next);
        Ok(())
    }

    /// Lets the facilities, which have a thread of their own, come to where a run is that rests. Of a run that goes on they
    /// are never quite there.
    pub(super) fn catch_up(&self, live: &Live<'_, '_>) {
        if self.settings.mode != Mode::Full || live.control().is_none() {
            return;
        }
        let Ok(actions) = self.subject.control.ask(|inspector| inspector.actions()) else { return };
        let is_within = |state: &ActionState| {
            matches!(state, ActionState::Stopped(_) | ActionState::WaitsFor(_) | ActionState::WaitsForWorld)
        };
        let goes_on = |state: &ActionState| matches!(state, ActionState::Ready | ActionState::Running);
        if actions.iter().any(|action| goes_on(&action.state)) {
            return;
        }
        let n_begun: u64 = actions.iter().map(|action| action.count).sum();
        let n_within = actions.iter().filter(|action| is_within(&action.state)).count() as u64;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let (n_delivered, n_pending) = live.progress();
            if n_delivered + n_pending + n_within >= n_begun {
                return;
            }
            thread::yield_now();
        }
    }

    pub(super) fn list(
        &self,
        what: Option<Listed>,
        selectors: &[String],
        range: Option<Range>,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        if what.is_none() && selectors.is_empty() && self.list_source(range, out)? {
            return Ok(());
        }
        let plan = &self.subject_of_events().plan;
        let scope = &self.settings.scope;
        let range = range.or(self.is_filed.then_some(Range::ALL));
        let filter = Filter::new(scope, selectors, plan)?;
        let what = what.unwrap_or(match scope.context() {
            Context::Program | Context::Call => Listed::Instances,
            Context::Action | Context::Event => Listed::Events,
        });
        match what {
            Listed::Events => {
                listing::events(&self.source_of_events()?, filter, range, plan, out)?;
                match self.live {
                    Some(_) => written(writeln!(out, "so far: the run is under way")),
                    None => Ok(()),
                }
            }
            Listed::Instances => {
                let mut option_of = self.option_of()?;
                let states = self.states(selectors)?;
                let source = match self.source_of_events() {
                    Err(Fault::NoRecords | Fault::NothingKept { .. } | Fault::TraceCutOff { .. })
                        if !states.is_empty() =>
                    {
                        None
                    }
                    source => Some(source?),
                };
                listing::instances(source.as_ref(), filter, range, plan, &mut option_of, states, out)
            }
        }
    }

    /// Lists the text around the statement before which the selected action is stopped in its body, the whole body where it is
    /// stopped before or after it, or the lines of a range; returns whether it is stopped.
    fn list_source(&self, range: Option<Range>, out: &mut dyn Write) -> Result<bool, Fault> {
        let scope = &self.settings.scope;
        let path = scope.selector().filter(|_| {
            (self.live.is_some() || self.moment_control().is_some()) && scope.context() == Context::Action
        });
        let Some(path) = path else { return Ok(false) };
        // An action that is executing or not there yet has no place in its body.
        let Ok(view) = self.ask(move |inspector| inspector.action(&path))? else { return Ok(false) };
        let (at, around) = match (view.at, &view.summary.state) {
            (Some(at), _) => {
                let at = u64::from(at.line);
                (Some(at), Range { low: at.saturating_sub(AROUND).max(1), high: at + AROUND + 1 })
            }
            (None, ActionState::Stopped(point)) => {
                let Some(body) = self.lines_of_body(view.summary.template) else { return Ok(false) };
                let line = u32::try_from(body.low).unwrap_or(u32::MAX);
                let first =
                    statement_line(&self.subject.plan, line).map(|(_, statement)| u64::from(statement));
                (first.filter(|_| *point == StopPoint::Befcomp), body)
            }
            (None, _) => return Ok(false),
        };
        let range = range.unwrap_or(around);
        let lines = (1..).zip(self.subject.program.text.lines());
        let mut listed = lines.filter(|(number, _)| range.has(*number));
        written(listed.try_for_each(|(number, line)| {
            let mark = if Some(number) == at { "->" } else { "  " };
            writeln!(out, "{}", format!("{mark} {number:>5}  {line}").trim_end())
        }))?;
        Ok(true)
    }

    /// The first lines of the body of a node; `None` where it has none in the program file.
    fn lines_of_body(&self, template: TemplateId) -> Option<Range> {
        let plan = &self.subject.plan;
        let (low, n_lines) = match plan.template(template).body.as_ref()? {
            Body::Script(script) => {
                let script = &plan.scripts[script.idx()];
                (script.at.line, script.text.lines().count())
            }
            Body::Native { at, text, .. } => (at.line, text.as_ref()?.text.lines().count()),
        };
        let low = u64::from(low);
        Some(Range { low, high: low + (n_lines as u64).clamp(1, MOST_BODY_LINES) })
    }

    /// What the actions of the scope that selectors name are doing in the run that is under way, or that is over and open
    /// to questions: of the latter only what is not at rest, or has values waiting.
    fn states(&self, selectors: &[String]) -> Result<listing::States, Fault> {
        let has_control = self.live.as_ref().map_or(self.is_open(), |live| live.control().is_some());
        if !has_control {
            return Ok(listing::States::new());
        }
        let scope = &self.settings.scope;
        let around: Vec<String> = scope.selector().into_iter().collect();
        let read = |text: &String| Selector::from_str(text).map_err(Fault::Selector);
        let selectors = selectors.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let plan = &self.subject.plan;
        let templates =
            selectors.iter().map(|selector| selector.templates(plan)).collect::<Result<Vec<_>, _>>();
        let templates = templates.map_err(Fault::Selector)?;
        let is_in_scope = |path: &str| {
            let behind = |around: &String| path.strip_prefix(around.as_str());
            around.first().is_none_or(|around| {
                behind(around).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '[']))
            })
        };
        let actions = self.ask(|inspector| inspector.actions())?;
        let mut states = listing::States::new();
        for action in actions {
            let names = |(selector, templates): (&Selector, &Vec<TemplateId>)| {
                templates.contains(&action.template) && selector.names_path(&action.path)
            };
            let is_named = selectors.is_empty() || selectors.iter().zip(&templates).any(names);
            let is_idle = action.state == ActionState::Idle && action.n_queued == 0;
            if !is_in_scope(&action.path) || !is_named || (self.live.is_none() && is_idle) {
                continue;
            }
            let queued = match action.n_queued {
                0 => String::new(),
                1 => ", 1 value waits".to_owned(),
                n_queued => format!(", {n_queued} values wait"),
            };
            let kind = self.subject.plan.template_label(&self.subject.plan.templates[action.template.idx()]);
            states.insert(action.path, (kind, format!("{}{queued}", state_text(&action.state))));
        }
        Ok(states)
    }

    /// What a line may be completed with.
    pub(in super::super) fn known(&self) -> Known {
        let plan = &self.subject.plan;
        let scope = &self.settings.scope;
        let program = &self.subject.program;
        let symbols = Symbols { plan, text: &program.text, file: "" };
        let mut selectors: BTreeSet<String> = plan.template_labels().into_iter().collect();
        selectors.extend(plan.template_labels().iter().map(|label| last_part(label)));
        selectors.extend(plan.call_labels().iter().map(|label| last_part(label)));
        selectors.extend(scope::all_paths(plan));
        selectors.extend(self.instance_paths());
        // From a scope, what is below it can be said without it.
        let around = scope.selector().map_or("/".to_owned(), |path| path + "/");
        let mut scopes: BTreeSet<String> =
            selectors.iter().filter(|text| text.starts_with('/')).cloned().collect();
        let below = selectors.iter().filter_map(|text| text.strip_prefix(&around));
        scopes.extend(below.filter(|text| !text.is_empty()).map(str::to_owned));
        scopes.extend(["/".to_owned(), "..".to_owned()]);
        Known {
            aliases: self.settings.aliases.iter().map(|(name, _)| name.to_owned()).collect(),
            selectors,
            scopes,
            symbols: symbols.visible(scope),
            folder: program.folder(),
        }
    }

    /// The paths of the first actions of the records.
    fn instance_paths(&self) -> Vec<String> {
        let Some(records) = self.held.records() else { return Vec::new() };
        let mut names = Names::new(&records.header);
        let mut actions = Vec::new();
        for batch in records.batches() {
            names.read(batch);
            actions.extend(batch.actions.iter().map(|action| action.action));
            if actions.len() >= MOST_COMPLETED {
                break;
            }
        }
        actions.iter().take(MOST_COMPLETED).map(|action| names.action(*action).to_string()).collect()
    }

    /// The recording option of an action in the next run.
    fn option_of(&self) -> Result<impl FnMut(ActionId, &Names) -> &'static str, Fault> {
        let settings = &self.settings;
        let resolved = settings.record_options.resolve(&self.subject.plan).map_err(Fault::Selector)?;
        let mut named = NamedOptions::new(resolved);
        let mode = settings.mode;
        Ok(move |action: ActionId, names: &Names| match mode {
            Mode::Restrict => named.action(action, names).name(),
            Mode::Minimal => "minimal",
            Mode::Off | Mode::DebuggingOff => "off",
            Mode::Full | Mode::Perf | Mode::Replay | Mode::PostMortem(_) => "full",
        })
    }

    fn symbols(
        &self,
        file: &str,
        run: impl FnOnce(&Symbols<'_>, &Scope) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let program = &self.subject.program;
        run(&Symbols { plan: &self.subject.plan, text: &program.text, file }, &self.settings.scope)
    }

    pub(super) fn whatis(&self, asked: &Asked, out: &mut dyn Write) -> Result<(), Fault> {
        self.symbols(&self.subject.program.name(), |symbols, scope| {
            let found = found(symbols, asked, scope)?.0;
            written(
                found
                    .iter()
                    .try_for_each(|symbol| writeln!(out, "{}: {}", symbol.name, symbols.told(symbol))),
            )
        })
    }

    pub(super) fn which(&self, asked: &Asked, out: &mut dyn Write) -> Result<(), Fault> {
        self.symbols(&self.subject.program.name(), |symbols, scope| {
            let (here, others) = found(symbols, asked, scope)?;
            let line = |symbol: &Symbol| {
                let place = symbols.place(symbol);
                let place = if place.is_empty() { place } else { format!("  {place}") };
                format!("{}  {}{place}", symbols.qualified(symbol), symbols.told(symbol))
            };
            written(here.iter().try_for_each(|symbol| writeln!(out, "{}", line(symbol))))?;
            written(others.iter().try_for_each(|symbol| writeln!(out, "  also {}", line(symbol))))
        })
    }

    /// All names that the scope sees, nearest first.
    pub(super) fn write_names(&self, out: &mut dyn Write) -> Result<(), Fault> {
        self.symbols(&self.subject.program.name(), |symbols, scope| {
            let seen = symbols.seen(scope);
            let width = seen.iter().map(|symbol| symbol.name.chars().count()).max().unwrap_or(0);
            written(
                seen.iter()
                    .try_for_each(|symbol| writeln!(out, "{:width$}  {}", symbol.name, symbols.told(symbol))),
            )
        })
    }

    pub(super) fn psym(&self, asked: &Asked, out: &mut dyn Write) -> Result<(), Fault> {
        self.symbols(&self.subject.program.name(), |symbols, scope| {
            let (here, others) = found(symbols, asked, scope)?;
            let all = here.iter().chain(&others);
            written(all.map(|symbol| symbols.description(symbol)).try_for_each(|text| write!(out, "{text}")))
        })
    }
}

/// A label without its graph.
fn last_part(label: &str) -> String {
    label.rsplit('.').next().unwrap_or(label).to_owned()
}

/// The symbols that a name refers to in a scope, and those of the same name that it does not refer to. Where the scope sees
/// none, all others count.
fn found(symbols: &Symbols<'_>, asked: &Asked, scope: &Scope) -> Result<(Vec<Symbol>, Vec<Symbol>), Fault> {
    let (here, others) = symbols.look_up(&asked.name, scope);
    if !here.is_empty() {
        return Ok((here, others));
    }
    if !others.is_empty() {
        return Ok((others, Vec::new()));
    }
    let known = symbols.visible(scope);
    let hint = suggest::help(
        &asked.name,
        known.iter().map(String::as_str),
        "a name of another node is written `Mult.acc`; `psym Mult` lists those of a node",
    );
    Err(unplaced(LineError::new(asked.column, format!("there is no name `{}`", asked.name), hint)))
}
