r"""A log as ShiViz reads it: python shiviz.py HISTORY.jsonl BY-ACTION BY-TEMPLATE BY-GRAPH

ShiViz is a web page without a package, so that its parser is followed here: the whole text is searched for its default
expression `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`; a clock is JSON and has an entry of its host; and the clocks
are held to what its graph is built upon: the events of a host are numbered 1, 2, ..., and an entry of another host
names an event of that host whose clock is not greater anywhere.
"""

import json
import re
import sys

from oracle import History

PARSER = re.compile(r"(?P<event>.*)\n(?P<host>\S*) (?P<clock>{.*})")
history = History(sys.argv[1])


def read(path):
    with open(path) as log:
        text = log.read().strip()
    matches = list(PARSER.finditer(text))
    assert "\n".join(match[0] for match in matches) == text, "nothing is between events"
    return [(match["event"], match["host"], json.loads(match["clock"])) for match in matches]


def is_before(one, other):
    """Whether a clock is before another: by the entry of its own host, as clocks are compared."""
    (_, host, clock), (_, _, later) = one, other
    return one is not other and later.get(host, 0) >= clock[host]


for path, follows_exactly in [(sys.argv[2], True), (sys.argv[3], False), (sys.argv[4], False)]:
    events = read(path)
    assert [event.split()[0] for event, *_ in events] == history.names
    by_host = {}
    for event in events:
        _, host, clock = event
        own = by_host.setdefault(host, [])
        own.append(event)
        assert clock[host] == len(own), event
        for other, number in clock.items():
            known = by_host[other][number - 1]
            assert all(clock.get(name, 0) >= entry for name, entry in known[2].items()), (event, known)
    for number, event in enumerate(events, 1):
        past = {before for before, other in enumerate(events, 1) if is_before(other, event)}
        if follows_exactly:
            assert event[1] == history.events[number - 1]["action"]
            assert past == history.past[number], event
        else:
            assert past >= history.past[number], event
    print(len(events), "events,", len(by_host), "hosts")
