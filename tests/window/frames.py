"""Times of frames on the screen: a hand that moves the mouse, and an eye on what the window puts on the screen."""

import ctypes
import select
import time

# From X11/extensions/Xdamage.h: every rectangle that is drawn is told.
RAW_RECTANGLES = 0
# What is drawn within this many seconds belongs to one frame.
SAME_FRAME = 0.003


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("pad", ctypes.c_long * 24)]


def library(name, **results):
    """A library of the X window system; its functions give numbers where nothing else is said."""
    found = ctypes.CDLL(name)
    for function, result in results.items():
        getattr(found, function).restype = result
    return found


class Eye:
    """A connection to a screen that moves its mouse, and is told when something is drawn on it."""

    def __init__(self, display):
        x11 = library("libX11.so.6", XOpenDisplay=ctypes.c_void_p, XDefaultRootWindow=ctypes.c_ulong)
        damage = library("libXdamage.so.1", XDamageCreate=ctypes.c_ulong)
        self.x11, self.xtest = x11, library("libXtst.so.6")
        self.connection = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
        if not self.connection:
            raise OSError(f"no screen {display}")
        first, error = ctypes.c_int(), ctypes.c_int()
        if not damage.XDamageQueryExtension(self.connection, ctypes.byref(first), ctypes.byref(error)):
            raise OSError("the screen does not tell what is drawn")
        self.notify = first.value
        root = ctypes.c_ulong(x11.XDefaultRootWindow(self.connection))
        damage.XDamageCreate(self.connection, root, RAW_RECTANGLES)
        x11.XSync(self.connection, 0)

    def move(self, x, y):
        self.xtest.XTestFakeMotionEvent(self.connection, -1, int(x), int(y), ctypes.c_ulong(0))
        self.x11.XFlush(self.connection)

    def button(self, number, is_down):
        self.xtest.XTestFakeButtonEvent(self.connection, number, int(is_down), ctypes.c_ulong(0))
        self.x11.XFlush(self.connection)

    def drawn(self, until):
        """When something was drawn, for each time until a moment."""
        while True:
            while self.x11.XPending(self.connection):
                event = Event()
                self.x11.XNextEvent(self.connection, ctypes.byref(event))
                if event.type == self.notify:
                    yield time.monotonic()
            rest = until - time.monotonic()
            if rest <= 0:
                return
            select.select([self.x11.XConnectionNumber(self.connection)], [], [], rest)


def way(step):
    """To and fro, as far as a picture is wide."""
    place = step * 6 % 480
    return place if place < 240 else 480 - place


def delays(eye, begin, button, n_frames=300, rest=0.05):
    """Seconds from a movement of the mouse, with a button held, until all of its frame is on the screen."""
    x, y = begin
    eye.move(x, y)
    eye.button(button, True)
    times = []
    for step in range(n_frames + 20):
        for _ in eye.drawn(time.monotonic()):
            pass
        moved = time.monotonic()
        eye.move(x + way(step + 1), y)
        last = max(eye.drawn(moved + rest), default=None)
        if last is not None and step >= 20:
            times.append(last - moved)
    eye.button(button, False)
    return times


def intervals(eye, begin, button, seconds=6.0, pause=0.004):
    """Seconds between the ends of frames while the mouse moves all the time, with a button held."""
    x, y = begin
    eye.move(x, y)
    eye.button(button, True)
    end = time.monotonic() + seconds
    drawn, step = [], 0
    while time.monotonic() < end:
        step += 1
        eye.move(x + way(step), y)
        drawn += eye.drawn(time.monotonic() + pause)
    eye.button(button, False)
    frames = [at for at, after in zip(drawn, drawn[1:] + [end + 1]) if after - at > SAME_FRAME]
    return [after - at for at, after in zip(frames, frames[1:])]


def told(times):
    times = sorted(times)
    if len(times) < 20:
        raise AssertionError(f"only {len(times)} frames were drawn")
    middle, most = times[len(times) // 2], times[len(times) * 99 // 100]
    return f"median {middle * 1e3:.1f} ms, p99 {most * 1e3:.1f} ms, of {len(times)} frames"
