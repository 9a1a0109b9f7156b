"""What the window shows, as assistive technology reads it: roles, names, texts and places of its elements (AT-SPI).

Only ctypes and libatspi: no Python package is needed.
"""

import ctypes
import time

POINTER = ctypes.c_void_p
# Elements with nothing in them that has a name of its own.
LEAVES = {"label", "push button", "check box", "entry", "list item", "page tab", "slider"}


class Rect(ctypes.Structure):
    """AtspiRect."""

    _fields_ = [(name, ctypes.c_int) for name in ("x", "y", "width", "height")]


class Element:
    """An element of a window."""

    def __init__(self, door, pointer):
        self.door, self.pointer = door, pointer
        self.role = door.string(door.role(pointer, None))

    def __repr__(self):
        return f"{self.role} {self.name!r}"

    @property
    def name(self):
        return self.door.string(self.door.name(self.pointer, None))

    def area(self):
        """(x, y, width, height) on the screen."""
        found = self.door.extents(self.pointer, 0, None)
        if not found:
            return (0, 0, 0, 0)
        rect = found[0]
        return (rect.x, rect.y, rect.width, rect.height)

    def middle(self):
        x, y, width, height = self.area()
        return (x + width // 2, y + height // 2)

    def text(self):
        """What a text field holds."""
        interface = self.door.text_interface(self.pointer)
        if not interface:
            return ""
        count = self.door.count_text(interface, None)
        return self.door.string(self.door.get_text(interface, 0, max(count, 0), None))

    def has(self, state):
        """Whether it has a state: "focused", "selected", "checked" or "enabled"."""
        states = self.door.states(self.pointer)
        number = {"checked": 4, "enabled": 8, "focused": 12, "selected": 23}[state]
        return bool(states) and bool(self.door.contains(states, number))

    def children(self):
        for index in range(max(self.door.count(self.pointer, None), 0)):
            child = self.door.child(self.pointer, index, None)
            if child:
                yield Element(self.door, child)

    def walk(self):
        """This element and all in it, in the order in which they are read. What is in a button is left out."""
        yield self
        if self.role not in LEAVES:
            for child in self.children():
                yield from child.walk()


class Door:
    """The way to the elements. There is one for a process: libatspi keeps the bus that it has found."""

    def __init__(self):
        library = ctypes.CDLL("libatspi.so.0")
        self.glib = ctypes.CDLL("libglib-2.0.so.0")

        def function(name, result, *arguments):
            found = getattr(library, name)
            found.restype, found.argtypes = result, arguments
            return found

        self.glib.g_free.argtypes = [POINTER]
        self.glib.g_main_context_iteration.argtypes = [POINTER, ctypes.c_int]
        # Registries of other versions tell changes of the tree in ways that libatspi complains about.
        handler = ctypes.CFUNCTYPE(None, POINTER, ctypes.c_int, POINTER, POINTER)
        self.silence = handler(lambda *_: None)
        self.glib.g_log_set_handler.argtypes = [ctypes.c_char_p, ctypes.c_int, handler, POINTER]
        self.glib.g_log_set_handler(b"dbind", 1 << 4, self.silence, None)
        desktop = function("atspi_get_desktop", POINTER, ctypes.c_int)
        self.count = function("atspi_accessible_get_child_count", ctypes.c_int, POINTER, POINTER)
        self.child = function("atspi_accessible_get_child_at_index", POINTER, POINTER, ctypes.c_int, POINTER)
        self.name = function("atspi_accessible_get_name", POINTER, POINTER, POINTER)
        self.role = function("atspi_accessible_get_role_name", POINTER, POINTER, POINTER)
        self.extents = function(
            "atspi_component_get_extents", ctypes.POINTER(Rect), POINTER, ctypes.c_int, POINTER
        )
        self.states = function("atspi_accessible_get_state_set", POINTER, POINTER)
        self.contains = function("atspi_state_set_contains", ctypes.c_int, POINTER, ctypes.c_int)
        self.text_interface = function("atspi_accessible_get_text_iface", POINTER, POINTER)
        self.count_text = function("atspi_text_get_character_count", ctypes.c_int, POINTER, POINTER)
        self.get_text = function("atspi_text_get_text", POINTER, POINTER, ctypes.c_int, ctypes.c_int, POINTER)
        set_mask = function("atspi_accessible_set_cache_mask", None, POINTER, ctypes.c_int)
        function("atspi_init", ctypes.c_int)()
        self.desktop_pointer = desktop(0)
        # Nothing is kept: what is asked is what is shown now.
        set_mask(self.desktop_pointer, 0)

    def string(self, pointer):
        if not pointer:
            return ""
        text = ctypes.string_at(pointer).decode()
        self.glib.g_free(pointer)
        return text

    def window(self, seconds=20.0):
        """The editor's window, once it is there."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            while self.glib.g_main_context_iteration(None, 0):
                pass
            desktop = Element(self, self.desktop_pointer)
            for application in desktop.children():
                for window in application.children():
                    if window.role in ("frame", "window"):
                        return window
            time.sleep(0.05)
        raise TimeoutError("no window tells assistive technology what it shows")
