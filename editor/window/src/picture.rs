//! Saving a picture of the shown graph.

use std::path::Path;

use hasse_editor::panels::file_dialog::{PICTURE_ENDINGS, Purpose};
use hasse_editor::state::Status as Said;

use crate::canvas::WholePicture;
use crate::studio::Studio;

impl Studio {
    /// Asks for the file of a picture; its name is that of the program, with the graph's unless that is the main one.
    pub(crate) fn ask_for_picture(&mut self) {
        let program = self.program_name();
        let name =
            if self.editor.is_main_shown() { program } else { format!("{program}-{}", self.editor.graph()) };
        let folder = self.folder();
        self.ask_for_file(Purpose::Picture, &folder, &format!("{name}.{}", PICTURE_ENDINGS[0]));
    }

    /// The name of the program's file, without its ending.
    fn program_name(&self) -> String {
        let suggested = self.editor.suggested_name();
        let name = self.editor.path().map_or(Path::new(&suggested), |path| path);
        name.file_stem().map_or_else(|| "program".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Saves all of the shown graph as a picture, in the colors of the window.
    pub(crate) fn save_picture(&mut self, path: &Path) {
        let title = format!("graph {} of {}", self.editor.graph(), self.program_name());
        let Some((picture, size)) = self.editor.whole_picture() else {
            let text = "there is nothing in this graph to be drawn".to_owned();
            return self.editor.set_status(Said { text, is_refusal: true });
        };
        let whole = WholePicture { picture, size, title, is_dark: self.is_dark };
        let said = match whole.save(path) {
            Ok(Some(scale)) if scale < 1.995 => Said {
                text: format!("Saved {} at {scale:.2} times its size, as it is large", path.display()),
                is_refusal: false,
            },
            Ok(_) => Said { text: format!("Saved {}", path.display()), is_refusal: false },
            Err(error) => Said { text: error.to_string(), is_refusal: true },
        };
        self.editor.set_status(said);
    }
}
