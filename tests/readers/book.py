"""What docs/exports.md shows of other tools is true: python book.py PAGE, where its exports are."""

import doctest
import re
import sys

import duckdb

with open(sys.argv[1]) as page:
    blocks = re.findall(r"^```text\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL)
tried = {"python": 0, "sql": 0}
for block, shown in zip(blocks, blocks[1:] + [""]):
    if block.startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block, {}, sys.argv[1], None, None)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        runner.run(test)
        assert runner.summarize().failed == 0
        tried["python"] += 1
    elif ".parquet'" in block:
        found = ["  ".join(row) for row in duckdb.sql(block).fetchall()]
        assert found == shown.splitlines(), (found, shown)
        tried["sql"] += 1
assert tried == {"python": 2, "sql": 1}, tried
