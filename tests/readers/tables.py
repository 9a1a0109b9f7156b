"""pyarrow and DuckDB read tables: python tables.py HISTORY.jsonl ARROW-FOLDER PARQUET-FOLDER"""

import os
import sys

import duckdb
import pyarrow.ipc
import pyarrow.parquet

from oracle import History

history = History(sys.argv[1])
arrow_folder, parquet_folder = sys.argv[2:4]
TABLES = ["actions", "edges", "events", "flow", "objects", "run", "shared"]
assert sorted(os.listdir(arrow_folder)) == [f"{name}.arrow" for name in TABLES]
assert sorted(os.listdir(parquet_folder)) == [f"{name}.parquet" for name in TABLES]

tables = {}
for name in TABLES:
    with pyarrow.ipc.open_file(f"{arrow_folder}/{name}.arrow") as reader:
        tables[name] = reader.read_all()
    tables[name].validate(full=True)
    assert tables[name].equals(pyarrow.parquet.read_table(f"{parquet_folder}/{name}.parquet")), name

restricted = history.header["mode"] == "restricted"
rows = tables["events"].to_pylist()
assert [row["event"] for row in rows] == list(range(1, len(rows) + 1))
assert [row["path"] for row in rows] == history.names
for row, event in zip(rows, history.events, strict=True):
    assert row["path"] == f"{row['action']}:{row['count']}"
    for column, field in [("action", "action"), ("count", "count"), ("rule", "rule"), ("routes", "routes"),
                          ("outcome", "outcome"), ("values_sent", "flow_successors")]:
        assert row[column] == event[field], (column, row, event)
    assert row["action"].endswith("".join(f"[{number}]" for number in row["index"]))
    assert (row["worker"], row["start_nanos"], row["end_nanos"]) == (
        event.get("worker"), event.get("start"), event.get("end"))
    assert row["values_taken"] == len(event["flow"])
    assert (row["error"] is not None) == (event["outcome"] == "failed")

base = duckdb.connect()
for name in TABLES:
    base.execute(f"create view {name} as select * from '{parquet_folder}/{name}.parquet'")


def ask(query):
    return base.execute(query).fetchall()


assert ask("select mode, workers, events from run") == [
    (history.header["mode"], history.header["workers"], len(history.events))]
expected = {}
for event in history.events:
    expected[event["action"]] = expected.get(event["action"], 0) + 1
assert dict(ask("select action, events from actions where events > 0")) == expected
# A join: what each value came from.
flow = ask("""select taker.path, list(sender.path order by nth) from flow
              join events taker on taker.event = flow.event join events sender on sender.event = predecessor
              group by taker.path""")
assert dict(flow) == {name: event["flow"]
                      for name, event in zip(history.names, history.events) if event["flow"]}
shared = ask("""select accessing.path, object, access, writing.path, readers from shared
                join events accessing on accessing.event = shared.event
                left join events writing on writing.event = writer order by shared.event, nth""")
assert shared == [(name, access["object"], access["access"], access["writer"], access["readers"])
                  for name, event in zip(history.names, history.events) for access in event["shared"]]
if not restricted:
    found = ask("select object, reads, writes from objects order by object")
    totals = {}
    for _, thing, access, *_ in shared:
        reads, writes = totals.get(thing, (0, 0))
        totals[thing] = (reads + (access == "read"), writes + (access == "write"))
    assert found == sorted((thing, *counts) for thing, counts in totals.items())
found = ask("select kind, predecessor, event, object from edges")
assert sorted(found, key=repr) == sorted(history.edges, key=repr)
# What is before what, as docs/exports.md asks it.
past = ask("""with recursive past(event, before) as (
                select event, predecessor from edges
                union select past.event, edges.predecessor from past join edges on edges.event = past.before)
              select event, before from past""")
assert set(past) == {(event, before) for event, befores in history.past.items() for before in befores}
print(len(rows), "events,", len(found), "edges,", len(past), "orderings")
