//! SVG, for light and dark pages: graphs below each other, each with its boxes, links and texts.

use std::fmt::Write as _;

use toml_edit::Document;

use super::placed::{Area, Course, NOTE_SIZE, Placed, Point, Route, TITLE_SIZE};
use super::scene::{Cluster, Node, Scene, Shape, Stroke};
use super::{layered, positioned};

const STYLE: &str = include_str!("style.css");
const MARGIN: f64 = 16.0;
const PADDING: f64 = 22.0;
const TITLE_HEIGHT: f64 = 26.0;

/// The picture as SVG; `text` is the program's, for the positions in it.
pub(crate) fn write(scene: &Scene, text: &str, name: &str) -> String {
    let document = Document::parse(text).ok();
    let mut body = String::new();
    let mut width: f64 = 0.0;
    let mut top = MARGIN;
    for cluster in &scene.clusters {
        let centers = document.as_ref().and_then(|document| positioned::centers(document, cluster));
        let placed = centers.map(|centers| positioned::place(cluster, &centers));
        let mut placed = placed.filter(Placed::is_clear).unwrap_or_else(|| layered::place(cluster));
        let (least, most) = placed.bounds();
        placed.shift(MARGIN + PADDING - least.x, top + TITLE_HEIGHT + PADDING - least.y);
        let title_width = cluster.title.chars().count() as f64 * 8.0;
        let frame_width = (most.x - least.x).max(title_width) + 2.0 * PADDING;
        let frame_height = most.y - least.y + TITLE_HEIGHT + 2.0 * PADDING;
        write_cluster(&mut body, cluster, &placed, [MARGIN, top, frame_width, frame_height]);
        width = width.max(frame_width);
        top += frame_height + MARGIN;
    }
    let [width, height] = [width + 2.0 * MARGIN, top].map(number);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n{DEFS}\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        escaped(name)
    )
}

const DEFS: &str = r#"<defs>
<marker id="arc" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="arc-tip" d="M0 0.5 8 4 0 7.5z"/></marker>
<marker id="share" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="share-tip" d="M0 0.5 8 4 0 7.5z"/></marker>
</defs>
"#;

fn write_cluster(body: &mut String, cluster: &Cluster, placed: &Placed, frame: [f64; 4]) {
    let [x, y, width, height] = frame.map(number);
    let _ = writeln!(
        body,
        "<g><rect class=\"graph\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"10\"/>"
    );
    let [x, y] = [frame[0] + 14.0, frame[1] + 22.0].map(number);
    let _ = writeln!(body, "<text class=\"name\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&cluster.title));
    for (link, route) in cluster.links.iter().zip(&placed.routes) {
        let (class, ends) = match link.stroke {
            Stroke::Arc => ("arc", "marker-end=\"url(#arc)\""),
            Stroke::Possible => ("arc", "stroke-dasharray=\"2 3\" marker-end=\"url(#arc)\""),
            Stroke::Read => ("share", "marker-end=\"url(#share)\""),
            Stroke::Write => ("share", "marker-start=\"url(#share)\" marker-end=\"url(#share)\""),
        };
        let _ = writeln!(body, "<path class=\"{class}\" d=\"{}\" {ends}/>", curve(route));
    }
    for (node, area) in cluster.boxes.iter().zip(&placed.boxes) {
        write_box(body, node, area);
    }
    for (link, route) in cluster.links.iter().zip(&placed.routes).filter(|(link, _)| !link.label.is_empty()) {
        let Area { center, width, height } = route.label;
        let [left, top, width, height] =
            [center.x - width / 2.0, center.y - height / 2.0, width, height].map(number);
        let _ = write!(
            body,
            "<rect class=\"paper\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"3\"/>"
        );
        let [x, y] = [center.x, center.y + NOTE_SIZE / 3.0].map(number);
        let _ = writeln!(body, "<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&link.label));
    }
    body.push_str("</g>\n");
}

fn write_box(body: &mut String, node: &Node, area: &Area) {
    let class = match node.shape {
        Shape::Unit => "unit",
        Shape::Shared => "shared",
        Shape::Call => "call",
        Shape::Port => "port",
        Shape::Missing => "missing",
    };
    let class = match (node.is_start, node.is_stop) {
        (true, _) => format!("{class} start"),
        (false, true) => format!("{class} stop"),
        (false, false) => class.to_owned(),
    };
    let (left, top) = (area.center.x - area.width / 2.0, area.center.y - area.height / 2.0);
    let rect = |inset: f64, radius: f64| {
        let [x, y] = [left + inset, top + inset].map(number);
        let [width, height] = [area.width - 2.0 * inset, area.height - 2.0 * inset].map(number);
        format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>"
        )
    };
    match node.shape {
        Shape::Unit | Shape::Missing => {
            let _ = writeln!(body, "{}", rect(0.0, 9.0));
            if node.is_stop {
                let _ = writeln!(body, "{}", rect(3.5, 6.0));
            }
        }
        Shape::Call => {
            let _ = writeln!(body, "{}", rect(0.0, 2.0));
            let [x1, x2] = [left + 6.0, left + area.width - 6.0].map(number);
            let [y1, y2] = [top, top + area.height].map(number);
            let _ = writeln!(body, "<path class=\"{class}\" d=\"M{x1} {y1}V{y2}M{x2} {y1}V{y2}\"/>");
        }
        Shape::Shared => {
            let [x, right, half, bottom] =
                [left, left + area.width, area.width / 2.0, top + area.height - 6.0].map(number);
            let y = number(top + 6.0);
            let _ = writeln!(
                body,
                "<path class=\"{class}\" d=\"M{x} {y}A{half} 6 0 0 1 {right} {y}V{bottom}A{half} 6 0 0 1 {x} {bottom}z\"/>\
                 <path class=\"{class} lid\" d=\"M{x} {y}A{half} 6 0 0 0 {right} {y}\"/>"
            );
        }
        Shape::Port => {
            let [x, right, tip] = [left, left + area.width - 10.0, left + area.width].map(number);
            let [y, middle, bottom] = [top, area.center.y, top + area.height].map(number);
            let _ = writeln!(
                body,
                "<path class=\"{class}\" d=\"M{x} {y}H{right}L{tip} {middle} {right} {bottom}H{x}z\"/>"
            );
        }
    }
    let lid = if node.shape == Shape::Shared { 4.0 } else { 0.0 };
    let x = number(area.center.x);
    if node.note.is_empty() {
        let y = number(area.center.y + TITLE_SIZE / 3.0 + lid);
        let _ = writeln!(body, "<text class=\"title\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&node.title));
    } else {
        let [y, below] = [area.center.y - 2.0 + lid, area.center.y + 12.5 + lid].map(number);
        let (title, note) = (escaped(&node.title), escaped(&node.note));
        let _ = writeln!(
            body,
            "<text class=\"title\" x=\"{x}\" y=\"{y}\">{title}</text><text class=\"note\" x=\"{x}\" y=\"{below}\">{note}</text>"
        );
    }
}

/// A path through the points of a route.
fn curve(route: &Route) -> String {
    let mut path = String::new();
    let spelled = |point: Point| format!("{} {}", number(point.x), number(point.y));
    for (place, pair) in route.points.windows(2).enumerate() {
        let [from, to] = [pair[0], pair[1]];
        if place == 0 {
            let _ = write!(path, "M{}", spelled(from));
        }
        let (first, second) = match route.course {
            Course::Level => {
                let middle = (from.x + to.x) / 2.0;
                (Point::new(middle, from.y), Point::new(middle, to.y))
            }
            Course::Upright => {
                let middle = (from.y + to.y) / 2.0;
                (Point::new(from.x, middle), Point::new(to.x, middle))
            }
            Course::Loop => {
                // Catmull-Rom: the direction in a point is that from the one before to the one behind.
                let before = if place == 0 { from } else { route.points[place - 1] };
                let behind = route.points.get(place + 2).copied().unwrap_or(to);
                (
                    Point::new(from.x + (to.x - before.x) / 6.0, from.y + (to.y - before.y) / 6.0),
                    Point::new(to.x - (behind.x - from.x) / 6.0, to.y - (behind.y - from.y) / 6.0),
                )
            }
        };
        let _ = write!(path, "C{} {} {}", spelled(first), spelled(second), spelled(to));
    }
    path
}

/// A number with at most one digit behind the point.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let short = text.strip_suffix(".0").unwrap_or(&text);
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

fn escaped(text: &str) -> String {
    let is_plain = |letter: &char| !letter.is_control();
    let text: String = text.chars().filter(is_plain).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        /// The layout library is fed with graphs of any form: loops, cycles, parallel links, islands.
        #[test]
        fn any_graph_is_drawn_without_loose_numbers(
            n_nodes in 1usize..9,
            arcs in prop::collection::vec((0usize..9, 0usize..9), 0..18),
            has_layout: bool,
        ) {
            let mut text = "hasse = 1\nmain = 'g'\n[graph.g]\narcs = [\n".to_owned();
            for (source, target) in &arcs {
                let _ = writeln!(text, "'N{}.p -> N{}.quite_a_long_name',", source % n_nodes, target % n_nodes);
            }
            text.push_str("]\n");
            for node_idx in 0..n_nodes {
                let _ = writeln!(text, "[graph.g.uc.N{node_idx}]");
            }
            if has_layout {
                text.push_str("[layout.g]\n");
                for node_idx in 0..n_nodes {
                    let _ = writeln!(text, "N{node_idx} = [{}, {}]", node_idx * 37 % 5 * 90, node_idx / 3 * 80);
                }
            }
            let graphs = hasse_compiler::outline(&text).expect("the text is TOML");
            let scene = Scene::new(&graphs);
            let svg = write(&scene, &text, "any");
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{}", svg);
            prop_assert_eq!(svg.matches("class=\"arc\"").count(), arcs.len());
            prop_assert_eq!(write(&scene, &text, "any"), svg);
        }
    }
}
