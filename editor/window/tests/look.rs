//! tmp
#![allow(clippy::unwrap_used)]
use hasse_model::function::FunctionTable;
use hasse_window::{Opened, Setup};
use i_slint_backend_testing::testing_backend::{TestingBackend, TestingBackendOptions};
use slint::ComponentHandle;
fn shot(o: &Opened, name: &str) {
    i_slint_backend_testing::mock_elapsed_time(std::time::Duration::from_millis(50));
    o.refresh();
    i_slint_backend_testing::mock_elapsed_time(std::time::Duration::from_millis(50));
    let s = o.window.window().take_snapshot().unwrap();
    let f = std::fs::File::create(format!("/tmp/look-{name}.png")).unwrap();
    let mut e = png::Encoder::new(std::io::BufWriter::new(f), s.width(), s.height());
    e.set_color(png::ColorType::Rgba);
    e.set_depth(png::BitDepth::Eight);
    e.write_header().unwrap().write_image_data(s.as_bytes()).unwrap();
}
#[test]
fn look() {
    slint::platform::set_platform(Box::new(TestingBackend::new(TestingBackendOptions {
        mock_time: true,
        threading: false,
        renderer_name: Some("software".into()),
    })))
    .unwrap();
    let file = std::env::var("LOOK").unwrap_or("../../examples/bts/bts.hasse".into());
    let o = Opened::new(Setup {
        file: Some(file.into()),
        functions: FunctionTable::default(),
        state_folder: None,
    })
    .unwrap();
    o.window.show().unwrap();
    o.window.window().set_size(slint::LogicalSize::new(1280., 800.));
    shot(&o, "0");
    o.check();
    shot(&o, "1");
    for e in i_slint_backend_testing::ElementHandle::find_by_accessible_label(&o.window, "Mult[i]") {
        println!("{:?} {:?}", e.accessible_role(), e.absolute_position());
        let p = e.absolute_position();
        let s = e.size();
        o.window.window().dispatch_event(slint::platform::WindowEvent::PointerPressed {
            position: slint::LogicalPosition::new(p.x + s.width / 2., p.y + 10.),
            button: slint::platform::PointerEventButton::Left,
        });
        o.window.window().dispatch_event(slint::platform::WindowEvent::PointerReleased {
            position: slint::LogicalPosition::new(p.x + s.width / 2., p.y + 10.),
            button: slint::platform::PointerEventButton::Left,
        });
        break;
    }
    shot(&o, "2");
    o.window.invoke_set_dark(false);
    shot(&o, "3");
}
