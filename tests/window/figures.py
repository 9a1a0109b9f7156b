"""Figures of the window: how long it takes to open, how fluid panning is, and what it costs while nothing happens."""

import os
import statistics
import subprocess
import time

import desk as desks
import frames

N_NODES = 2000
IDLE = 10.0
N_OPENINGS = 5
# Nodes that are seen while the picture is panned.
N_SEEN = 500
# The largest number of the sieve: more than 1,000,000 events.
LIMIT = 11700


def program(n_nodes):
    """A grid of units, each with two inputs and two outputs: to the right, and down."""
    n_columns = 25 if n_nodes <= 500 else 50
    n_rows = n_nodes // n_columns
    arcs, units, places = [], [], []
    for row in range(n_rows):
        for column in range(n_columns):
            name = f"n{row}_{column}"
            if column + 1 < n_columns:
                arcs.append(f'  "{name}.right -> n{row}_{column + 1}.left",')
            if row + 1 < n_rows:
                arcs.append(f'  "{name}.down -> n{row + 1}_{column}.up",')
            ports = [port for port, is_there in (("left", column > 0), ("up", row > 0)) if is_there]
            outs = [("right", column + 1 < n_columns), ("down", row + 1 < n_rows)]
            outs = [port for port, is_there in outs if is_there]
            lines = [f"[graph.main.uc.{name}]"]
            if ports:
                lines.append("in = { " + ", ".join(f'{port} = "int"' for port in ports) + " }")
                lines.append('fire = ["' + ", ".join(f"{port} -> {port}" for port in ports) + '"]')
            else:
                lines.append("start = true")
            if outs:
                lines.append("out = { " + ", ".join(f'{port} = "int"' for port in outs) + " }")
                total = " + ".join(ports) or "1"
                lines.append(f"do = 'let sum = {total};'")
                lines.append("route = [" + ", ".join(f'"{port} <- sum"' for port in outs) + "]")
            else:
                lines.append("stop = true")
            units.append("\n".join(lines) + "\n")
            places.append(f"{name} = [{column * 180}, {row * 140}]")
    head = 'hasse = 1\nmain = "main"\n\n[graph.main]\narcs = [\n' + "\n".join(arcs) + "\n]\n\n"
    return head + "\n".join(units) + "\n[layout.main]\n" + "\n".join(places) + "\n"


def ticks(process):
    """Processor time of a process, in ticks."""
    with open(f"/proc/{process.pid}/stat") as told:
        fields = told.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def is_drawn(desk, empty):
    """Whether the middle of the screen, where the picture is, has more than one color: nodes are drawn."""
    width, height = desk.size
    row = desk.pixels()[3 * width * (height // 3) : 3 * width * (height // 3 + 1)]
    colors = {row[3 * x : 3 * x + 3] for x in range(width // 4, width // 2)}
    return len(colors) > 8 and row != empty


def opening(desk, command, file):
    """Seconds from starting the program to nodes on the screen. A look at the screen takes some of it."""
    before = time.monotonic()
    process = desk.start([str(command), "edit", str(file)])
    while not is_drawn(desk, None):
        if process.poll() is not None:
            raise AssertionError("the editor ended")
        if time.monotonic() - before > 120:
            raise AssertionError("nothing is drawn after 120 s")
    return time.monotonic() - before, process


def measure(command, root):
    with desks.Desk(1280, 800) as desk:
        file = desk.folder / "large.hasse"
        file.write_text(program(N_NODES))
        empty = desk.start([str(command), "edit"])
        time.sleep(3)
        before = ticks(empty)
        time.sleep(IDLE)
        print(f"  idle, no program: {ticks(empty) - before} ticks of {1 / os.sysconf('SC_CLK_TCK'):.2f} s in {IDLE:.0f} s")
        stop(empty)
        wait_empty(desk)
        looks = []
        for _ in range(3):
            began = time.monotonic()
            desk.pixels()
            looks.append(time.monotonic() - began)
        times = []
        for _ in range(N_OPENINGS):
            seconds, process = opening(desk, command, file)
            times.append(seconds)
            if len(times) == N_OPENINGS:
                break
            stop(process)
            wait_empty(desk)
        median = statistics.median(times)
        print(f"  opening {N_NODES} nodes: median {median:.2f} s of {', '.join(f'{t:.2f}' for t in times)}")
        print(f"    (a look at the screen takes {statistics.median(looks):.2f} s of that)")
        # The compiler is done with it.
        time.sleep(5)
        before = ticks(process)
        time.sleep(IDLE)
        print(f"  idle, {N_NODES} nodes: {ticks(process) - before} ticks in {IDLE:.0f} s")
        stop(process)


def panning(command, root):
    """Frames while the picture of 500 nodes and the event history of 1,000,000 events are panned."""
    with desks.Desk(1280, 800) as desk:
        drawn = desk.folder / "seen.hasse"
        drawn.write_text(program(N_SEEN))
        record = desk.folder / "long.trace"
        sieve = root / "examples" / "sieve" / "sieve.hasse"
        made = [str(command), "run", str(sieve), "--set", f"limit={LIMIT}", "--trace", str(record)]
        subprocess.run(made, check=True, capture_output=True)
        told = subprocess.run([str(command), "trace", "info", str(record)], check=True, capture_output=True, text=True)
        n_events = next(line.split()[1] for line in told.stdout.splitlines() if line.startswith("events"))
        print(f"  the record: {n_events} events")
        eye = frames.Eye(desk.environment["DISPLAY"])
        # The picture is panned with the middle button, a view of a record with the left one.
        for what, file, button, at in (
            (f"picture, {N_SEEN} nodes in view", drawn, 2, (400, 250)),
            ("event history", record, 1, (400, 640)),
        ):
            process = desk.start([str(command), "edit", str(file)])
            settle(process)
            print(f"  {what}: from a movement of the mouse to the screen: {frames.told(frames.delays(eye, at, button))}")
            settle(process)
            print(f"  {what}: between frames while the mouse moves: {frames.told(frames.intervals(eye, at, button))}")
            stop(process)
            wait_empty(desk)


def settle(process, seconds=1.0):
    """Waits until a program has used no processor time for a while."""
    before, since = -1, time.monotonic()
    while time.monotonic() - since < seconds:
        now = ticks(process)
        if now != before:
            before, since = now, time.monotonic()
        time.sleep(0.05)


def stop(process):
    process.terminate()
    process.wait(10)


def wait_empty(desk):
    """Waits until nothing is on the screen."""
    while len(set(desk.pixels())) > 1:
        time.sleep(0.05)
