"""Causal order by its definition, from the JSON lines of an export.

The one place of these tests that knows what comes before what: each reader's answers are compared with it.
"""

import json


class History:
    """The events of an export, their immediate edges and their pasts."""

    def __init__(self, path):
        with open(path) as lines:
            self.header = json.loads(next(lines))
            self.events = [json.loads(line) for line in lines]
        self.names = [f"{event['action']}:{event['count']}" for event in self.events]
        self.number = {name: number for number, name in enumerate(self.names, 1)}
        # (kind, from, to, object), by number; as often as it occurs.
        self.edges = []
        writers, readers = {}, {}
        for number, event in enumerate(self.events, 1):
            if event["count"] > 1:
                before = f"{event['action']}:{event['count'] - 1}"
                self.edges.append(("sequence", self.number[before], number, None))
            for sender in event["flow"]:
                self.edges.append(("flow", self.number[sender], number, None))
            for access in event["shared"]:
                thing, writes = access["object"], access["access"] == "write"
                writer = writers.get(thing)
                assert access["writer"] == (self.names[writer - 1] if writer else None), event
                if writer:
                    self.edges.append(("write" if writes else "read", writer, number, thing))
                if writes:
                    assert access["readers"] == len(readers.get(thing, [])), event
                    for reader in readers.get(thing, []):
                        self.edges.append(("overwrite", reader, number, thing))
                    writers[thing], readers[thing] = number, []
                else:
                    readers.setdefault(thing, []).append(number)
            for relayed in event.get("relayed", []):
                self.edges.append(("relayed", self.number[relayed["event"]], number, relayed["object"]))
        self.past = {}
        into = {}
        for _, source, target, _ in self.edges:
            into.setdefault(target, set()).add(source)
        for number in range(1, len(self.events) + 1):
            past = set(into.get(number, ()))
            for before in tuple(past):
                past |= self.past[before]
            self.past[number] = past

    def counted(self):
        """How often each edge occurs, without objects."""
        counts = {}
        for kind, source, target, _ in self.edges:
            counts[kind, source, target] = counts.get((kind, source, target), 0) + 1
        return counts

    def folded(self, name_of):
        """How often each edge occurs between what events are folded onto."""
        counts = {}
        for kind, source, target, _ in self.edges:
            edge = kind, name_of(self.events[source - 1]), name_of(self.events[target - 1])
            counts[edge] = counts.get(edge, 0) + 1
        return counts


def action_of(event):
    return event["action"]


def template_of(labels):
    """The label of an event's template, among those that there are."""

    def of(event):
        last = event["action"].rsplit("/", 1)[1].split("[")[0]
        found = [label for label in labels if label.rsplit(".", 1)[-1] == last]
        assert len(found) == 1, (last, labels)
        return found[0]

    return of
