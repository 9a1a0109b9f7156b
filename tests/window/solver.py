"""The block triangular solver, drawn from an empty window; its bug is found and mended in the window."""

import shutil
import time
import tomllib

from compare import differences, order
from hand import Failed, Hand

# Where nodes are put, as in the shipped file; the window is larger than the picture.
NODES = {
    "Dist": (60, 160),
    "Read": (260, 40),
    "Row": (500, 40),
    "Solve": (500, 220),
    "Mult": (500, 360),
    "Gath": (760, 220),
    "Check": (760, 40),
}
# What the form calls a table of a node, and whether its rows have a name and a text.
SECTIONS = {"in": "Input ports", "out": "Output ports", "vars": "Variables"}
RULES = {"fire": "Firing rules", "route": "Routing rules"}


class Solver:
    """The scenario."""

    size = (1600, 1200)

    def __init__(self, desk, program, root, pictures):
        self.desk, self.program, self.root, self.pictures = desk, program, root, pictures
        self.folder = desk.folder / "solver"
        self.folder.mkdir()
        for file in ("system.mtx", "system_b.mtx"):
            shutil.copy(root / "examples/bts" / file, self.folder)
        self.wanted = tomllib.loads((root / "examples/bts/bts-bug.hasse").read_text())["graph"]["bts"]

    def run(self):
        self.hand = Hand(self.desk, self.program, folder=self.folder)
        steps = [self.graph, self.units, self.arcs, self.save, self.run_it, self.find_the_bug, self.mend, self.compare]
        for step in steps:
            began = time.monotonic()
            try:
                step()
            except Failed:
                self.shoot(f"{step.__name__}-failed")
                raise
            self.shoot(step.__name__.replace("_", "-"))
            print(f"  {step.__name__.replace('_', ' ')}: {time.monotonic() - began:.1f} s", flush=True)
        self.hand.close()

    def shoot(self, name):
        """Takes a picture of the window."""
        self.desk.screenshot(self.pictures / f"solver-{name}.png")

    def add_row(self, section, *texts):
        """A new row of a section of the form, with its texts."""
        hand = self.hand
        field = hand.until(
            lambda: hand.click(hand.in_form(f"Add to {section}", "push button")),
            lambda: (found := hand.focused(section)) and not found.text() and found,
            f"a new row of {section}",
        )
        for number, text in enumerate(texts):
            if number > 0:
                # The next field of the row.
                x = field.area()[0]
                hand.quiet(field)
                hand.key("Tab")
                field = hand.wait(
                    lambda: (found := hand.focused(section)) and found.area()[0] > x and found,
                    f"the second field of a row of {section}",
                )
            hand.write(field, text)
        hand.settle(field)

    def graph(self):
        hand = self.hand
        hand.settle(hand.write(hand.get("Name", "entry"), "bts"))
        hand.get("go to bts", "push button")
        for name, text in self.wanted["params"].items():
            self.add_row("Parameters", name, text)

    def units(self):
        for name, place in NODES.items():
            self.unit(name, place, self.wanted["uc"][name])

    def unit(self, name, place, wanted):
        hand = self.hand
        left, top, *_ = hand.get("graph", "list box").area()
        kind = "start unit" if wanted.get("start") else "stop unit" if wanted.get("stop") else "unit"
        # A double click on nothing opens the palette there.
        field = hand.until(
            lambda: self.desk.click(left + place[0], top + place[1], n=2),
            lambda: hand.find("palette", "entry"),
            "the palette is open",
        )
        hand.type(kind)
        hand.wait(lambda: field.text() == kind, "the palette is searched")
        hand.key("Return")
        own = hand.get("Name", "entry")
        hand.wait(lambda: own.text().startswith("node"), "the new node is selected")
        hand.settle(hand.write(own, name))
        hand.get(name, "list item")
        hand.settle(hand.write(hand.in_form("Description", "entry"), wanted["doc"]))
        if "index" in wanted:
            hand.settle(hand.write(hand.in_form("Index", "entry"), ", ".join(wanted["index"])))
        for key, section in SECTIONS.items():
            for port, ty in wanted.get(key, {}).items():
                self.add_row(section, port, ty)
        for key, section in RULES.items():
            for rule in wanted.get(key, []):
                self.add_row(section, rule)
        self.body(name, wanted["do"])

    def body(self, name, text):
        hand = self.hand
        field = hand.until(
            lambda: hand.key("F4"),
            lambda: (found := hand.find(f"body of {name}", "entry")) and found.has("focused") and found,
            "the body has the focus",
        )
        for number, line in enumerate(text.split("\n")):
            if number > 0:
                hand.key("Return")
            # The editor indents by itself.
            if line.strip():
                hand.type(line.strip())
        hand.wait(lambda: field.text() == text, lambda: f"the body of {name} is {text!r}, not {field.text()!r}")
        hand.key("Escape")
        hand.wait(lambda: not field.has("focused"), "the picture has the focus")

    def port(self, name, port):
        """Where a port is on the screen: on the border of its node, one below the other."""
        unit = self.wanted["uc"][name]
        bare = port.split("[")[0]
        item = self.hand.get(lambda label: label.split("[")[0] == name, "list item")
        x, y, width, _ = item.area()
        for key, edge in (("in", x), ("out", x + width)):
            names = [own.split("[")[0] for own in unit.get(key, {})]
            if bare in names:
                return (edge, y + 40 + 20 * names.index(bare))
        raise Failed(f"{name} has no port {port}")

    def arcs(self):
        hand = self.hand
        for arc in self.wanted["arcs"]:
            ends = [end.strip().rsplit(".", 1) for end in arc.split("->")]
            begin, end = (self.port(node.split("[")[0], port) for node, port in ends)
            bare = [f"{node.split('[')[0]}.{port.split('[')[0]}" for node, port in ends]

            def shown():
                fields = [hand.find(name, "entry") for name in ("From", "To")]
                return all(fields) and [field.text() for field in fields] == bare

            # A drag from port to port draws the arc, and selects it.
            self.desk.drag(begin, end)
            hand.wait(shown, f"the arc {arc} is drawn and selected")
            field = hand.get("Line", "entry")
            if field.text() != arc:
                print(f"    {field.text()} is made {arc}")
                hand.settle(hand.write(field, arc))
        hand.key("Escape")

    def save(self):
        hand = self.hand
        hand.key("ctrl+s")
        field = hand.get("path", "entry")
        self.file = self.folder / "bts.hasse"
        hand.write(field, str(self.file))
        hand.key("Return")
        hand.wait(lambda: self.file.exists(), "the file is there")
        hand.wait(lambda: hand.title() == "bts.hasse", "the title tells the file, without a mark for changes")

    def run_it(self):
        """F5, and the end of the run; the program tells a residual that is far from 0."""
        self.hand.click("Log", "page tab")
        print(f"    with the bug: residual {self.residual(lambda residual: residual > 1e-6):.3g}")

    def residual(self, is_expected):
        """Runs the program and gives the residual that it tells."""
        hand = self.hand

        def told():
            for line in hand.all(lambda name: "unknowns in" in name):
                residual = float(line.name.split("residual ")[1].split()[0])
                if is_expected(residual):
                    return (residual,)
            return None

        hand.key("F5")
        return hand.wait(told, lambda: f"the run is {hand.run_state()}; no such residual is told", 90)[0]

    def find_the_bug(self):
        """The checks of order.preds, and the finding that leads to what Mult sends."""
        hand = self.hand
        hand.click("Findings", "page tab")
        checks = (self.root / "examples/bts/order.preds").read_text().splitlines()
        for check in (line for line in checks if line.startswith("check ")):
            hand.write(hand.get("check", "entry"), check)
            hand.key("Return")
            hand.get(lambda name, check=check: name.endswith(check), "list item")
        hand.get(lambda name: name.startswith("violated"), "list item")
        evidence = hand.get(lambda name: "took a value of /Mult" in name and "`done <- acc`" in name, "list item")
        print(f"    {evidence.name}")
        hand.click(evidence)
        hand.wait(lambda: (field := hand.find("Name", "entry")) and field.text() == "Mult", "Mult is selected")

    def mend(self):
        """The guard that is missing is written into the rule of Mult."""
        hand = self.hand
        rule = hand.in_form("Routing rules", "entry")
        if rule.text() != "done <- acc":
            raise Failed(f"the rule is {rule.text()!r}")
        hand.settle(hand.write(rule, "done <- acc if count == i"))
        hand.wait(lambda: hand.title() == "\u25cf bts.hasse", "the title tells that there is a change")
        hand.key("Escape")
        hand.key("ctrl+s")
        hand.wait(lambda: hand.title() == "bts.hasse", "the change is saved")
        hand.click("Log", "page tab")
        print(f"    without: residual {self.residual(lambda residual: residual < 1e-6):.3g}")

    def compare(self):
        """The file is the shipped one up to positions and comments, also in the order of everything."""
        shipped = self.root / "examples/bts/bts.hasse"
        shutil.copy(self.file, self.pictures / "solver.hasse")
        found = differences(self.file, shipped)
        if found:
            raise Failed("the file differs from the shipped one:\n" + "\n".join(found))
        if order(self.file) != order(shipped):
            raise Failed("what is in the file is in another order than in the shipped one")
