"""Pictures of every panel and state, at two sizes, light and dark, for a person to look at."""

import shutil
import time

from hand import Failed, Hand

SIZES = [(1280, 800), (2560, 1440)]


class Screens:
    """One window at a size, light or dark, led through its states."""

    def __init__(self, desk, program, root, pictures, theme):
        self.desk, self.program, self.root = desk, program, root
        self.prefix = pictures / f"{desk.size[0]}x{desk.size[1]}-{theme}"
        self.theme = theme
        self.folder = desk.folder / f"screens-{theme}"
        shutil.copytree(root / "examples/bts", self.folder)
        self.failures = []

    def run(self):
        self.hand = Hand(self.desk, self.program, "bts-bug.hasse", folder=self.folder)
        if self.theme == "light":
            self.command("Dark")
        parts = [self.editing, self.popups, self.faulty, self.running, self.stopped]
        for part in parts:
            try:
                part()
            except Failed as failed:
                self.shoot(f"{part.__name__}-failed")
                self.failures.append(f"{self.prefix.name} {part.__name__}: {failed}")
                self.hand.key("Escape", "Escape")
        self.hand.close()
        return self.failures

    def shoot(self, name):
        """Takes a picture once two looks at the screen are the same."""
        last = None
        for _ in range(20):
            now = self.desk.pixels()
            if now == last:
                break
            last = now
            time.sleep(0.15)
        self.desk.screenshot(f"{self.prefix}-{name}.png")

    def command(self, text):
        """Finds a command by its name and does it."""
        hand = self.hand
        hand.key("ctrl+shift+p")
        field = hand.get("palette", "entry")
        hand.type(text)
        hand.wait(lambda: field.text() == text, "the commands are searched")
        hand.key("Return")
        hand.wait(lambda: not hand.find("palette", "entry"), "the palette is closed")

    def tab(self, name):
        self.hand.click(name, "page tab")

    def node(self, name):
        """Selects a node and waits until its form is shown."""
        hand = self.hand
        item = hand.get(lambda label: label.split("[")[0] == name, "list item")
        x, y, *_ = item.area()
        self.desk.click(x + 30, y + 10)
        hand.wait(lambda: (field := hand.find("Name", "entry")) and field.text() == name, f"{name} is selected")

    def editing(self):
        hand = self.hand
        self.shoot("graph")
        self.node("Row")
        self.tab("Body")
        self.shoot("unit")
        hand.key("ctrl+f")
        hand.wait(lambda: next((field for field in hand.all(None, "entry") if field.has("focused")), None), "find")
        hand.type("seg")
        self.shoot("find")
        hand.key("Escape")

    def popups(self):
        hand = self.hand
        hand.click("Graph menu", "push button")
        self.shoot("menu")
        hand.key("Escape")
        item = hand.get(lambda label: label.startswith("Solve"), "list item")
        self.desk.click(*item.middle(), button=3)
        self.shoot("context-menu")
        hand.key("Escape")
        hand.key("a")
        hand.get("palette", "entry")
        self.shoot("palette")
        hand.key("Escape")
        hand.wait(lambda: not hand.find("palette", "entry"), "the palette is closed")
        hand.key("ctrl+shift+p")
        hand.get("palette", "entry")
        self.shoot("commands")
        hand.key("Escape")
        hand.wait(lambda: not hand.find("palette", "entry"), "the palette is closed")
        hand.key("ctrl+o")
        hand.get("path", "entry")
        self.shoot("file-dialog")
        hand.key("Escape")
        hand.wait(lambda: not hand.find("path", "entry"), "the dialog is closed")
        hand.key("F1")
        self.shoot("keys")
        hand.key("Escape")

    def faulty(self):
        hand = self.hand
        self.node("Mult")
        hand.key("F4")
        field = hand.get("body of Mult", "entry")
        hand.wait(lambda: field.has("focused"), "the body has the focus")
        hand.key("ctrl+End")
        hand.type("let spare = acc + nothing;")
        told = lambda name: name.startswith("problems: ") and "error" in name  # noqa: E731
        hand.wait(lambda: hand.find(told, "push button"), "an error is told")
        self.shoot("body-error")
        hand.key("Escape")
        self.tab("Problems")
        self.shoot("problems")
        item = hand.find(lambda name: name.startswith("E"), "list item")
        if item:
            hand.click(item)
            self.shoot("problem-chosen")
        for _ in range(8):
            if not hand.title().startswith("\u25cf"):
                break
            hand.click("Undo (Ctrl+Z)", "push button")
            time.sleep(0.2)
        hand.wait(lambda: not hand.title().startswith("\u25cf"), "all is undone")

    def running(self):
        hand = self.hand
        self.tab("Run")
        self.shoot("run-options")
        hand.key("F5")
        hand.wait(lambda: hand.run_state() == "over", lambda: f"the run is {hand.run_state()}", 60)
        for name in ("History", "Elaborated", "Time-line", "Log"):
            self.tab(name)
            self.shoot(name.lower())
        self.tab("Findings")
        hand.write(hand.get("check", "entry"), "check pred Solve:4 {Mult[3]:3}")
        hand.key("Return")
        found = hand.get(lambda name: "Solve:4" in name, "list item")
        self.shoot("findings")
        hand.click(found)
        self.shoot("finding-chosen")
        self.tab("Graphs")

    def stopped(self):
        hand = self.hand
        self.node("Mult")
        hand.key("F9")
        self.tab("Breakpoints")
        hand.key("F5")
        hand.wait(lambda: hand.run_state() in ("waiting", "stopped"), lambda: f"the run is {hand.run_state()}", 60)
        self.shoot("breakpoints")
        self.tab("Actions")
        self.shoot("stopped")
        item = hand.find(lambda name: "Mult[" in name, "list item", 1)
        if item:
            hand.click(item)
            self.shoot("action")
        hand.key("alt+y")
        self.shoot("why")
        hand.key("ctrl+grave")
        hand.wait(lambda: next((field for field in hand.all(None, "entry") if field.has("focused")), None), "console")
        hand.type("help")
        hand.key("Return")
        time.sleep(0.5)
        self.shoot("console")
        hand.key("Escape", "shift+F5")


def examples(desk, program, root, pictures):
    """The first program of each example."""
    for folder in sorted(path for path in (root / "examples").iterdir() if path.is_dir()):
        for file in sorted(folder.glob("*.hasse"))[:1]:
            hand = Hand(desk, program, file, folder=folder)
            hand.wait(lambda: len(set(desk.pixels())) > 1, "the window is painted")
            desk.screenshot(pictures / f"example-{folder.name}.png")
            hand.close()
