//! Frame times of the window while a person pans, with the software renderer:
//! `cargo bench -p hasse-window --bench frames -- [RECORD]`.
//!
//! A frame is measured from the event of the mouse wheel until its last pixel is in the frame buffer: the event is handed
//! to the window as the window system does it, the timers are run that the window has set to show what has changed, and
//! the window is drawn by Slint's software renderer into a buffer of 1280 x 800 pixels, which keeps the frame before, as
//! under X11. Everything happens on one thread, so that nothing of it is missed. What the window system takes to put the
//! buffer on the screen is not in it; under Xvfb, `tests/window/run figures` measures the processor time of whole frames.
//!
//! Measured is the picture of a program with 500 nodes in view or, where RECORD is a trace file, its event history.
//! `hasse run examples/sieve/sieve.hasse --set limit=11500 --trace RECORD` makes one of more than 1,000,000 events.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops where anything fails"
)]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hasse_model::function::FunctionTable;
use hasse_ui::{App, Views};
use hasse_window::{Opened, Setup};
use slint::platform::software_renderer::{MinimalSoftwareWindow, PremultipliedRgbaColor, RepaintBufferType};
use slint::platform::{Platform, WindowAdapter, WindowEvent};
use slint::{ComponentHandle, LogicalPosition, PhysicalSize, PlatformError};

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 800;
const N_COLUMNS: usize = 25;
const N_ROWS: usize = 20;
const N_FRAMES: usize = 300;
const N_FIRST: usize = 20;

/// A platform without a screen.
struct Screenless {
    window: Rc<MinimalSoftwareWindow>,
    began: Instant,
}

impl Platform for Screenless {
    fn create_window_adapter(&self) -> Result<Rc<dyn WindowAdapter>, PlatformError> {
        Ok(Rc::<MinimalSoftwareWindow>::clone(&self.window))
    }

    fn duration_since_start(&self) -> Duration {
        self.began.elapsed()
    }
}

/// A grid of nodes, each wired to the right and down.
fn program() -> String {
    let (mut arcs, mut units, mut places) = (String::new(), String::new(), String::new());
    for row in 0..N_ROWS {
        for column in 0..N_COLUMNS {
            let name = format!("n{row}_{column}");
            let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
            if column > 0 {
                inputs.push("left");
            }
            if row > 0 {
                inputs.push("up");
            }
            if column + 1 < N_COLUMNS {
                outputs.push("right");
                writeln!(arcs, "  \"{name}.right -> n{row}_{}.left\",", column + 1).unwrap();
            }
            if row + 1 < N_ROWS {
                outputs.push("down");
                writeln!(arcs, "  \"{name}.down -> n{}_{column}.up\",", row + 1).unwrap();
            }
            let ports = |names: &[&str]| {
                names.iter().map(|port| format!("{port} = \"int\"")).collect::<Vec<_>>().join(", ")
            };
            writeln!(units, "[graph.main.uc.{name}]").unwrap();
            writeln!(units, "in = {{ {} }}\nout = {{ {} }}", ports(&inputs), ports(&outputs)).unwrap();
            let taken: Vec<String> = inputs.iter().map(|port| format!("{port} -> {port}")).collect();
            if taken.is_empty() {
                writeln!(units, "start = true").unwrap();
            } else {
                writeln!(units, "fire = [\"{}\"]", taken.join(", ")).unwrap();
            }
            let sent: Vec<String> = outputs.iter().map(|port| format!("\"{port} <- 1\"")).collect();
            writeln!(units, "do = ''\nroute = [{}]\n", sent.join(", ")).unwrap();
            writeln!(places, "{name} = [{}, {}]", column * 160, row * 120).unwrap();
        }
    }
    format!("hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [\n{arcs}]\n\n{units}[layout.main]\n{places}")
}

/// The window with its screen.
struct Bench {
    opened: Opened,
    window: Rc<MinimalSoftwareWindow>,
    buffer: Vec<PremultipliedRgbaColor>,
}

impl Bench {
    /// Lets the window do what it has put off, and draws what has changed; tells whether anything had.
    fn frame(&mut self) -> bool {
        slint::platform::update_timers_and_animations();
        let buffer = &mut self.buffer;
        self.window.draw_if_needed(|renderer| {
            renderer.render(buffer, WIDTH as usize);
        })
    }

    /// Lets a while pass, as the event loop does.
    fn rest(&mut self, seconds: f64) {
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        while Instant::now() < end {
            self.frame();
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Pans by one notch of the wheel a frame, to and fro, and tells the times of frames in milliseconds.
    fn pan(&mut self, at: LogicalPosition) -> Vec<f64> {
        let window = self.opened.window.window();
        window.dispatch_event(WindowEvent::PointerMoved { position: at });
        self.frame();
        let mut times = Vec::new();
        for number in 0..N_FIRST + N_FRAMES {
            let delta_x = if number / 30 % 2 == 0 { -24.0 } else { 24.0 };
            let event = WindowEvent::PointerScrolled { position: at, delta_x, delta_y: 0.0 };
            let began = Instant::now();
            self.opened.window.window().dispatch_event(event);
            let is_drawn = self.frame();
            let took = began.elapsed().as_secs_f64() * 1e3;
            assert!(is_drawn, "frame {number} changes nothing");
            if number >= N_FIRST {
                times.push(took);
            }
            // What is left over for the next timer is not part of the next frame.
            self.frame();
        }
        times
    }

    fn report(&mut self, what: &str, at: LogicalPosition) {
        let mut times = self.pan(at);
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let p99 = times[times.len() * 99 / 100];
        println!("{what}: median {median:.1} ms, p99 {p99:.1} ms, worst {:.1} ms", times[times.len() - 1]);
    }
}

fn main() {
    let record = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).map(PathBuf::from);
    let window = MinimalSoftwareWindow::new(RepaintBufferType::ReusedBuffer);
    let platform = Screenless { window: Rc::clone(&window), began: Instant::now() };
    slint::platform::set_platform(Box::new(platform)).unwrap();
    let drawn = std::env::temp_dir().join(format!("hasse-frames-{}.hasse", std::process::id()));
    let file = match &record {
        Some(record) => record.clone(),
        None => {
            std::fs::write(&drawn, program()).unwrap();
            drawn.clone()
        }
    };
    let began = Instant::now();
    let setup =
        Setup { file: Some(file), host: None, functions: FunctionTable::default(), state_folder: None };
    let opened = Opened::new(setup).unwrap();
    opened.window.show().unwrap();
    window.set_size(PhysicalSize::new(WIDTH, HEIGHT));
    let buffer = vec![PremultipliedRgbaColor::default(); (WIDTH * HEIGHT) as usize];
    let mut bench = Bench { opened, window, buffer };
    bench.frame();
    println!("first frame after {:.0} ms", began.elapsed().as_secs_f64() * 1e3);
    if record.is_some() {
        bench.opened.window.global::<App>().set_bottom_height(500.0);
        let end = Instant::now() + Duration::from_secs(120);
        while !bench.opened.window.global::<Views>().get_has_record() && Instant::now() < end {
            bench.rest(0.1);
        }
        bench.rest(3.0);
        let n_events = bench.opened.window.global::<Views>().get_n_events();
        bench.report(&format!("history, {n_events} events"), LogicalPosition::new(600.0, 600.0));
    } else {
        bench.opened.check();
        bench.rest(1.0);
        bench.report("picture, 500 nodes in view", LogicalPosition::new(500.0, 250.0));
        std::fs::remove_file(drawn).unwrap();
    }
}
