"""A screen of its own for a window: Xvfb, openbox, a session bus; and a hand on it: xdotool and import."""

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

# What each tool is a part of in Debian.
PACKAGES = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "xdotool": "xdotool",
    "import": "imagemagick",
    "dbus-daemon": "dbus-daemon",
    "dbus-send": "dbus-bin",
}
LIBRARIES = {"libatspi.so.0": "at-spi2-core", "libXdamage.so.1": "libxdamage1", "libXtst.so.6": "libxtst6"}
LAUNCHERS = ["/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher"]

# No borders, and every window as large as the screen.
OPENBOX = """<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <applications><application class="*"><decor>no</decor><maximized>yes</maximized></application></applications>
</openbox_config>
"""


def missing():
    """Names of Debian packages that are not installed."""
    found = {package for tool, package in PACKAGES.items() if shutil.which(tool) is None}
    if not any(Path(launcher).exists() for launcher in LAUNCHERS):
        found.add("at-spi2-core")
    for library, package in LIBRARIES.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            found.add(package)
    return sorted(found)


class Desk:
    """A screen with a window manager and a bus; ends with everything that was started on it."""

    def __init__(self, width=1280, height=800):
        self.size = (width, height)
        self.folder = Path(tempfile.mkdtemp(prefix="hasse-window-"))
        self.started = []
        self.environment = dict(os.environ)
        for name in ("WAYLAND_DISPLAY", "AT_SPI_BUS_ADDRESS"):
            self.environment.pop(name, None)

    def __enter__(self):
        try:
            self.open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def open(self):
        reader, writer = os.pipe()
        width, height = self.size
        # Xvfb takes a free display and tells which one.
        self.start(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
            pass_fds=[writer],
        )
        os.close(writer)
        with os.fdopen(reader) as told:
            self.environment["DISPLAY"] = ":" + told.readline().strip()
        for name in ("state", "config", "cache", "data", "runtime"):
            (self.folder / name).mkdir(mode=0o700)
            kind = "XDG_RUNTIME_DIR" if name == "runtime" else f"XDG_{name.upper()}_HOME"
            self.environment[kind] = str(self.folder / name)
        bus = self.start(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"], stdout=subprocess.PIPE
        )
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().decode().strip()
        # libatspi reads the environment of this process.
        os.environ.update(self.environment)
        configuration = self.folder / "openbox.xml"
        configuration.write_text(OPENBOX)
        self.start(["openbox", "--config-file", str(configuration)])
        # A window that is there before its manager is not made as large as the screen.
        for _ in range(200):
            asked = subprocess.run(["xdotool", "get_desktop"], env=self.environment, capture_output=True)
            if asked.returncode == 0:
                return
            time.sleep(0.05)
        raise TimeoutError("openbox does not manage the screen")

    def accessible(self):
        """Asks programs to tell assistive technology what they show, as a screen reader does."""
        subprocess.run(
            ["dbus-send", "--session", "--print-reply", "--dest=org.a11y.Bus", "/org/a11y/bus"]
            + ["org.freedesktop.DBus.Properties.Set", "string:org.a11y.Status", "string:IsEnabled"]
            + ["variant:boolean:true"],
            check=True,
            env=self.environment,
            stdout=subprocess.DEVNULL,
        )

    def start(self, command, **options):
        options.setdefault("stdout", subprocess.DEVNULL)
        options.setdefault("stderr", (self.folder / "log").open("ab"))
        process = subprocess.Popen(command, env=self.environment, start_new_session=True, **options)
        self.started.append(process)
        return process

    def close(self):
        for process in reversed(self.started):
            if process.poll() is None:
                # The whole group: what a session bus starts belongs to it.
                os.killpg(process.pid, signal.SIGTERM)
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def xdotool(self, *arguments):
        done = subprocess.run(
            ["xdotool", *map(str, arguments)], check=True, env=self.environment, capture_output=True, text=True
        )
        return done.stdout.strip()

    def screenshot(self, path):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["import", "-silent", "-window", "root", str(path)], check=True, env=self.environment)

    def pixels(self):
        """The screen as bytes; equal bytes are an equal picture."""
        command = ["import", "-silent", "-window", "root", "-depth", "8", "rgb:-"]
        return subprocess.run(command, check=True, env=self.environment, capture_output=True).stdout

    def key(self, *names):
        self.xdotool("key", "--delay", "12", *names)

    def type(self, text):
        self.xdotool("type", "--delay", "6", "--", text)

    def move(self, x, y):
        self.xdotool("mousemove", int(x), int(y))

    def click(self, x, y, button=1, n=1):
        self.move(x, y)
        self.xdotool("click", "--repeat", n, "--delay", "80", button)

    def drag(self, begin, end, button=1):
        self.move(*begin)
        self.xdotool("mousedown", button)
        # A hand moves through what lies between.
        for step in range(1, 7):
            self.move(*(a + (b - a) * step / 6 for a, b in zip(begin, end)))
            time.sleep(0.02)
        self.xdotool("mouseup", button)
