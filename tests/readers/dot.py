"""Graphviz reads DOT: python dot.py HISTORY.jsonl EVENTS ELABORATED PROGRAM"""

import json
import subprocess
import sys
import xml.etree.ElementTree as xml

from oracle import History, action_of, template_of

history = History(sys.argv[1])
SVG = "{http://www.w3.org/2000/svg}"


def dot(form, path):
    ran = subprocess.run(["dot", f"-T{form}", path], capture_output=True, text=True, check=True)
    assert not ran.stderr, ran.stderr
    return ran.stdout


def drawn(path):
    """The number of nodes, edges and clusters of the picture."""
    groups = [group.get("class") for group in xml.fromstring(dot("svg", path)).iter(f"{SVG}g")]
    return groups.count("node"), groups.count("edge"), groups.count("cluster")


def parsed(path):
    """Nodes by id, edges, and clusters with the nodes in them."""
    graph = json.loads(dot("json", path))
    things = graph.get("objects", [])
    nodes = {thing["_gvid"]: thing for thing in things if not thing["name"].startswith("cluster")}
    clusters = {thing["label"]: {nodes[at]["name"] for at in thing.get("nodes", [])}
                for thing in things if thing["name"].startswith("cluster")}
    return nodes, graph.get("edges", []), clusters


nodes, edges, clusters = parsed(sys.argv[2])
assert drawn(sys.argv[2]) == (len(history.events), len(history.edges), len(clusters))
number = {}
for at, node in nodes.items():
    name = f"{node['action']}:{node['count']}"
    number[at] = history.number[name]
    assert node["name"] == f"e{number[at]}"
    event = history.events[number[at] - 1]
    assert (node["rule"], node["outcome"]) == (str(event["rule"]), event["outcome"])
counts = {}
for edge in edges:
    key = edge["kind"], number[edge["tail"]], number[edge["head"]]
    counts[key] = counts.get(key, 0) + 1
assert counts == history.counted()

# Each event is in the clusters of all graph instances around it.
expected = {}
for event in history.events:
    steps = event["action"].split("/")[1:-1]
    for depth in range(1, len(steps) + 1):
        inside = expected.setdefault("/" + "/".join(steps[:depth]), set())
        inside.add(f"e{history.number[event['action'] + ':' + str(event['count'])]}")
assert clusters == expected, (clusters, expected)

for path, of in [(sys.argv[3], action_of), (sys.argv[4], None)]:
    nodes, edges, _ = parsed(path)
    assert drawn(path)[:2] == (len(nodes), len(edges))
    names = {at: node["name"] for at, node in nodes.items()}
    full = {at: node["label"].split("\\n")[0] for at, node in nodes.items()}
    of = of or template_of(set(full.values()))
    found = {(edge["kind"], full[edge["tail"]], full[edge["head"]]): int(edge["count"]) for edge in edges}
    assert found == history.folded(of), path
print(len(history.events), "events,", len(history.edges), "edges,", len(clusters), "clusters")
