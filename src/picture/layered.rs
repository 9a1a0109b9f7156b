//! Positions by layers (Sugiyama), from left to right, made by the dagre library.

use dagre::graph::{Graph, GraphOptions};
use dagre::layout::types::LabelPos;
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, RankDir, layout};

use super::large::{self, Layers};
use super::placed::{Area, Course, Placed, Point, Route, attach, beyond_loop, box_sizes, label_size};
use super::scene::Cluster;

/// Places a cluster.
pub(super) fn place(cluster: &Cluster) -> Placed {
    let layers = Layers::of(cluster);
    if layers.is_large(cluster) {
        return large::place(cluster, &layers);
    }
    let options = GraphOptions { directed: true, multigraph: true, compound: false };
    let mut graph: Graph<NodeLabel, EdgeLabel> = Graph::with_options(options);
    let sizes = box_sizes(cluster);
    // Names that sort as the file does, in case that decides anything.
    let name = |idx: usize| format!("{idx:06}");
    for (node_idx, (width, height)) in sizes.iter().enumerate() {
        let label = NodeLabel { width: *width, height: *height, ..NodeLabel::default() };
        graph.set_node(name(node_idx), Some(label));
    }
    for (link_idx, link) in cluster.links.iter().enumerate() {
        let (width, height) = label_size(&link.label);
        let label = EdgeLabel { width, height, labelpos: LabelPos::Center, ..EdgeLabel::default() };
        graph.set_edge(name(link.source), name(link.target), Some(label), Some(&name(link_idx)));
    }
    let options = LayoutOptions {
        rankdir: RankDir::LR,
        nodesep: 26.0,
        edgesep: 12.0,
        ranksep: 44.0,
        ..Default::default()
    };
    layout(&mut graph, Some(options));

    let boxes: Vec<Area> = sizes
        .iter()
        .enumerate()
        .map(|(node_idx, (width, height))| {
            let label = graph.node(&name(node_idx));
            let [x, y] =
                label.map_or([None, None], |label| [label.x, label.y]).map(Option::unwrap_or_default);
            Area { center: Point::new(x, y), width: *width, height: *height }
        })
        .collect();
    let mut routes: Vec<Route> = Vec::new();
    for (link_idx, link) in cluster.links.iter().enumerate() {
        let label = graph.edge(&name(link.source), &name(link.target), Some(&name(link_idx)));
        let points = label.map_or(&[][..], |label| &label.points);
        let mut points: Vec<Point> = points.iter().map(|point| Point::new(point.x, point.y)).collect();
        if points.len() < 2 {
            points = vec![boxes[link.source].center, boxes[link.target].center];
        }
        let middle = points[points.len() / 2];
        let center = label.and_then(|label| Some(Point::new(label.x?, label.y?))).unwrap_or(middle);
        let (width, height) = label_size(&link.label);
        let course = if link.source == link.target { Course::Loop } else { Course::Level };
        let center = match course {
            Course::Loop => beyond_loop(&points, boxes[link.source].center),
            Course::Level | Course::Upright => center,
        };
        routes.push(Route { points, course, label: Area { center, width, height } });
    }
    attach(cluster, &boxes, &mut routes);
    Placed { boxes, routes }
}
