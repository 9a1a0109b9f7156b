//! A canvas in a window that is never shown, for pictures as pixels.

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::picture::Picture;
use hasse_ui::{Graph, Sheet as SheetWindow, Theme};
use slint::platform::WindowEvent;
use slint::{ComponentHandle, LogicalSize, PhysicalSize, PlatformError, Rgba8Pixel, SharedPixelBuffer};

use super::rows::CanvasRows;

/// The canvas with its lists.
pub(super) struct Sheet {
    window: SheetWindow,
    rows: CanvasRows,
}

impl Sheet {
    /// Makes an empty canvas.
    ///
    /// # Errors
    /// The toolkit has no window.
    pub(super) fn new() -> Result<Self, PlatformError> {
        let window = SheetWindow::new()?;
        let graph = window.global::<Graph>();
        graph.set_has_minimap(false);
        let rows = CanvasRows::new(&graph);
        drop(graph);
        Ok(Self { window, rows })
    }

    /// The colors of a theme.
    pub(super) fn theme(&self, is_dark: bool) -> Theme<'_> {
        let theme = self.window.global::<Theme>();
        theme.set_dark(is_dark);
        theme
    }

    /// Draws a picture of a size in pixels of the window, with `scale` pixels for each.
    ///
    /// # Errors
    /// The renderer cannot draw it.
    pub(super) fn draw(
        &self,
        picture: &Picture,
        size: Point,
        scale: f64,
        is_dark: bool,
    ) -> Result<SharedPixelBuffer<Rgba8Pixel>, PlatformError> {
        let graph = self.window.global::<Graph>();
        self.rows.show_picture(&graph, &self.theme(is_dark), picture, size, is_dark);
        let window = self.window.window();
        window.dispatch_event(WindowEvent::ScaleFactorChanged { scale_factor: scale as f32 });
        let [width, height] = [size.x, size.y].map(|length| (length * scale).ceil() as u32);
        window.set_size(PhysicalSize::new(width, height));
        // The backend of tests takes sizes for logical ones.
        let size = LogicalSize::new(size.x as f32, size.y as f32);
        window.dispatch_event(WindowEvent::Resized { size });
        window.take_snapshot()
    }
}

/// The canvas of a pane, made when it is first needed.
#[derive(Default)]
pub(crate) struct PaneSheet(Option<Sheet>);

impl PaneSheet {
    /// Draws a picture as [`Sheet::draw`] does.
    ///
    /// # Errors
    /// The toolkit has no window, or the renderer cannot draw it.
    pub(crate) fn draw(
        &mut self,
        picture: &Picture,
        size: Point,
        scale: f64,
        is_dark: bool,
    ) -> Result<SharedPixelBuffer<Rgba8Pixel>, PlatformError> {
        let sheet = match self.0.take() {
            Some(sheet) => sheet,
            None => Sheet::new()?,
        };
        let drawn = sheet.draw(picture, size, scale, is_dark);
        self.0 = Some(sheet);
        drawn
    }
}
