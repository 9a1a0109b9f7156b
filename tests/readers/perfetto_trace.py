"""Perfetto reads timelines: python perfetto_trace.py HISTORY.jsonl TRACE

The trace is decoded by the schema that Perfetto publishes in its package, and checked for what its trace processor
builds slices and flows from. Where HASSE_TRACE_PROCESSOR names that program, which the package would download from a
place that tests must not depend on, it is asked, too.
"""

import os
import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

from oracle import History

history = History(sys.argv[1])
with open(sys.argv[2], "rb") as file:
    trace = schema.Trace.FromString(file.read())


def fields_known(message):
    """No bytes were left that the schema does not know."""
    assert not len(schema_unknown(message)), message
    for _, value in message.ListFields():
        for inner in value if hasattr(value, "add") else [value]:
            if hasattr(inner, "ListFields"):
                fields_known(inner)


def schema_unknown(message):
    from google.protobuf.unknown_fields import UnknownFieldSet

    return UnknownFieldSet(message)


fields_known(trace)
timed = any("worker" in event for event in history.events)
tracks, slices, open_slices, flows = {}, {}, {}, {}
events = []
# Strings by their numbers, as packets define them on the way.
categories, names, arg_names, values = {}, {}, {}, {}


def spell_out(annotation):
    """Puts strings in place of their numbers."""
    if annotation.HasField("name_iid"):
        annotation.name = arg_names[annotation.name_iid]
    if annotation.HasField("string_value_iid"):
        annotation.string_value = values[annotation.string_value_iid]
    for item in annotation.array_values:
        spell_out(item)


def define(numbers, entries, spelled):
    for entry in entries:
        assert entry.iid not in numbers, "a number stands for one string"
        numbers[entry.iid] = spelled(entry)


for packet in trace.packet:
    defined = packet.interned_data
    define(categories, defined.event_categories, lambda entry: entry.name)
    define(names, defined.event_names, lambda entry: entry.name)
    define(arg_names, defined.debug_annotation_names, lambda entry: entry.name)
    define(values, defined.debug_annotation_string_values, lambda entry: entry.str.decode())
    if packet.HasField("track_descriptor"):
        descriptor = packet.track_descriptor
        assert descriptor.uuid not in tracks
        assert not descriptor.parent_uuid or descriptor.parent_uuid in tracks, "parents come first"
        tracks[descriptor.uuid] = descriptor
        continue
    event = packet.track_event
    assert event.track_uuid in tracks, "a track is announced before it is used"
    assert all(number in categories for number in event.category_iids)
    if event.HasField("name_iid"):
        event.name = names[event.name_iid]
    for annotation in event.debug_annotations:
        spell_out(annotation)
    events.append((packet.timestamp, event))
# As the trace processor does: by time, and as they stand in the file where that is the same.
for timestamp, event in sorted(events, key=lambda pair: pair[0]):
    if event.type == schema.TrackEvent.TYPE_SLICE_BEGIN:
        assert event.track_uuid not in open_slices, "slices of a track do not overlap"
        args = {note.name: note for note in event.debug_annotations}
        name = args["event"].string_value
        open_slices[event.track_uuid] = (timestamp, event, name)
        assert name not in slices
        for flow in event.terminating_flow_ids:
            flows.setdefault(flow, [None, None])[1] = history.number[name]
        for flow in event.flow_ids:
            assert flow not in flows or flows[flow][0] is None
            flows.setdefault(flow, [None, None])[0] = history.number[name]
        slices[name] = None
    else:
        assert event.type == schema.TrackEvent.TYPE_SLICE_END
        start, begin, name = open_slices.pop(event.track_uuid)
        slices[name] = (start, timestamp, begin)
assert not open_slices
assert set(slices) == set(history.names)

depth = {}
for number, event in enumerate(history.events, 1):
    start, end, begin = slices[history.names[number - 1]]
    args = {note.name: note for note in begin.debug_annotations}
    assert args["action"].string_value == event["action"]
    assert args["count"].uint_value == event["count"]
    assert args["rule"].int_value == event["rule"]
    assert args["outcome"].string_value == event["outcome"]
    depth[number] = 1 + max((depth[before] for before in history.past[number]), default=-1)
    assert args["depth"].uint_value == depth[number]
    before = [item.string_value for item in args["predecessors"].array_values] if "predecessors" in args else []
    into = [(kind, history.names[source - 1]) for kind, source, target, _ in history.edges if target == number]
    assert sorted(before) == sorted(f"{kind} {name}" for kind, name in into)
    track = tracks[begin.track_uuid]
    if timed:
        assert (start, end) == (event["start"], max(event["start"], event["end"]))
        worker = f"worker {event['worker']}"
        assert track.thread.thread_name == worker or track.name.startswith(f"{worker}, overlapping")
    else:
        assert track.name == event["action"] and start == 1000 * depth[number]
        assert tracks[track.parent_uuid].name == begin.name

# An arrow for each edge between actions, and no other.
arrows = {}
for source, target in flows.values():
    assert source and target, "every arrow has two ends"
    # An execution that waits for a lock has begun before the one that it waits for ends, or even begins.
    assert timed or slices[history.names[source - 1]][0] < slices[history.names[target - 1]][0]
    arrows[source, target] = arrows.get((source, target), 0) + 1
expected = {}
for (kind, source, target), n in history.counted().items():
    if kind != "sequence":
        expected[source, target] = expected.get((source, target), 0) + n
assert arrows == expected

processor = os.environ.get("HASSE_TRACE_PROCESSOR")
if processor:
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    with TraceProcessor(trace=sys.argv[2], config=TraceProcessorConfig(bin_path=processor)) as asked:
        assert next(iter(asked.query("select count(*) as n from slice"))).n == len(slices)
        assert next(iter(asked.query("select count(*) as n from flow"))).n == len(flows)
        found = {row.path for row in asked.query(
            "select extract_arg(arg_set_id, 'debug.event') as path from slice")}
        assert found == set(slices)
print(len(slices), "slices,", len(flows), "flows,", len(tracks), "tracks")
