"""A window of the editor with a person's hands and eyes: what is shown is found by its name, and waited for."""

import os
import subprocess
import time

from door import Door

# How long something may take to be shown; a debug build on a busy machine is slow.
PATIENCE = float(os.environ.get("HASSE_WINDOW_PATIENCE", "20"))


class Failed(Exception):
    """The window did not show what it should."""


class Hand:
    """An open editor."""

    door = None

    def __init__(self, desk, program, *arguments, folder=None):
        desk.accessible()
        self.desk = desk
        self.process = desk.start([str(program), "edit", *map(str, arguments)], cwd=folder)
        Hand.door = Hand.door or Door()
        self.window = Hand.door.window(PATIENCE)
        self.wait(lambda: self.window.area()[2] >= desk.size[0] - 2, "the window fills the screen")

    # What is shown.

    def all(self, name=None, role=None):
        """Elements with a name (a text, or a test of it) and a role, in reading order."""
        for element in self.window.walk():
            if role is None or element.role == role:
                if name is None or (name(element.name) if callable(name) else element.name == name):
                    yield element

    def find(self, name=None, role=None, number=0):
        """The element, or None."""
        for place, element in enumerate(self.all(name, role)):
            if place == number:
                return element
        return None

    def wait(self, condition, what, seconds=PATIENCE):
        """Waits until a condition holds and gives what it gave."""
        end = time.monotonic() + seconds
        while True:
            if self.process.poll() is not None:
                raise Failed(f"the editor ended (exit status {self.process.returncode}) while waiting: {what}")
            found = condition()
            if found:
                return found
            if time.monotonic() > end:
                raise Failed(f"not within {seconds:.0f} s: {what() if callable(what) else what}")
            time.sleep(0.03)

    def get(self, name=None, role=None, number=0):
        """The element, once it is there."""
        said = name.__doc__ or "an element" if callable(name) else repr(name)
        return self.wait(lambda: self.find(name, role, number), f"{role or 'element'} {said}")

    def status(self):
        found = self.find(lambda name: name.startswith("status: "), "label")
        return found.name.removeprefix("status: ") if found else ""

    def run_state(self):
        """What the tool bar says of the run."""
        found = self.find(lambda name: name.startswith("run: "), "label")
        return found.name.removeprefix("run: ") if found else ""

    def title(self):
        return self.window.name

    def wait_status(self, part):
        return self.wait(lambda: part in self.status(), f"the status line says {part!r}")

    def until(self, act, condition, what):
        """Does something that a busy machine can miss, as a double click, until it has happened."""
        for _ in range(5):
            act()
            try:
                return self.wait(condition, what, PATIENCE / 5)
            except Failed:
                if self.process.poll() is not None:
                    raise
        return self.wait(condition, what, 0)

    # What a hand does.

    def click(self, name, role=None, number=0, button=1, n=1):
        element = name if hasattr(name, "middle") else self.get(name, role, number)
        self.reveal(element)
        place = None
        # What the compiler says can come in above it.
        while place != element.middle():
            place = element.middle()
            time.sleep(0.04)
        self.desk.click(*place, button=button, n=n)
        return element

    def wheel(self, is_up):
        """Turns the wheel over the inspector."""
        width, height = self.desk.size
        self.desk.move(width - 290, height // 2)
        self.desk.xdotool("click", 4 if is_up else 5)

    def in_form(self, name, role, number=0):
        """An element of the inspector, which is turned until it is there: what cannot be seen is not told."""
        for step in range(60):
            found = self.find(name, role, number)
            if found:
                return found
            self.wheel(step > 30)
            time.sleep(0.05)
        return self.get(name, role, number)

    def reveal(self, element):
        """Turns the wheel over the inspector until an element of it can be seen whole."""
        width, height = self.desk.size
        for _ in range(40):
            x, y, own_width, own_height = element.area()
            # What is not seen at all has no place; forms grow downward.
            is_hidden = own_width <= 0
            above, below = y < 80 and not is_hidden, y + own_height > height - 30 or is_hidden
            x = width if is_hidden else x
            if x + own_width < width - 320 or not (above or below):
                return
            self.wheel(above)
            before, end = y, time.monotonic() + 0.5
            while element.area()[1] == before and time.monotonic() < end:
                time.sleep(0.02)

    def key(self, *names):
        self.desk.key(*names)

    def type(self, text):
        self.desk.type(text)

    def focused(self, name):
        """The field of this name that is written in."""
        return next((field for field in self.all(name, "entry") if field.has("focused")), None)

    def write(self, element, text):
        """Puts a text into a field and waits until the field holds it."""
        self.reveal(element)
        if not element.has("focused"):
            what = f"{element} has the focus"
            self.until(lambda: self.click(element), lambda: element.has("focused"), what)
        self.key("Home", "shift+End")
        self.key("BackSpace") if not text else self.type(text)
        self.wait(lambda: element.text() == text, lambda: f"{element} holds {element.text()!r}, not {text!r}")
        return element

    def quiet(self, element):
        """Closes the list of what could be typed."""
        if self.find("suggestions", "list box"):
            self.key("Escape")
            self.wait(lambda: not self.find("suggestions", "list box"), "the suggestions are gone")

    def settle(self, element):
        """Ends the writing in a field with Enter."""
        self.quiet(element)
        self.key("Return")

    def close(self):
        """Ends the program as a lost connection to the screen would; what a scenario tests is over."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)
            # The window is gone from the bus before another one is looked for.
            end = time.monotonic() + 5
            while time.monotonic() < end:
                try:
                    Hand.door.window(0.1)
                except TimeoutError:
                    return


def output(command, **options):
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout
