"""networkx reads GraphML: python graphml.py HISTORY.jsonl EVENTS ELABORATED PROGRAM"""

import sys

import networkx

from oracle import History, action_of, template_of

history = History(sys.argv[1])


def read(path):
    graph = networkx.read_graphml(path, force_multigraph=True)
    assert graph.is_directed()
    return graph


def edges_of(graph, key, weight):
    counts = {}
    for source, target, data in graph.edges(data=True):
        edge = data["kind"], key(source), key(target)
        counts[edge] = counts.get(edge, 0) + weight(data)
    return counts


events = read(sys.argv[2])
assert len(events) == len(history.events)
assert networkx.is_directed_acyclic_graph(events)
numbers = {node: history.number[data["event"]] for node, data in events.nodes(data=True)}
for node, data in events.nodes(data=True):
    event = history.events[numbers[node] - 1]
    assert (data["action"], data["count"], data["rule"], data["outcome"]) == (
        event["action"], event["count"], event["rule"], event["outcome"])
    if "worker" in event:
        assert (data["worker"], data["start"], data["end"]) == (event["worker"], event["start"], event["end"])
    past = {numbers[before] for before in networkx.ancestors(events, node)}
    assert past == history.past[numbers[node]], data["event"]
assert edges_of(events, numbers.get, lambda _: 1) == history.counted()

labels = None
for path, of in [(sys.argv[3], action_of), (sys.argv[4], None)]:
    graph = read(path)
    names = {node: data["name"] for node, data in graph.nodes(data=True)}
    of = of or template_of(set(names.values()))
    assert edges_of(graph, names.get, lambda data: data["count"]) == history.folded(of)
    tallies = {name: 0 for name in names.values()}
    for event in history.events:
        tallies[of(event)] += 1
    assert tallies == {data["name"]: data["events"] for _, data in graph.nodes(data=True)}
print(len(events), "events,", events.number_of_edges(), "edges")
