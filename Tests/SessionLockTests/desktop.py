#!/usr/bin/env python3
"""Two private buses with stand-ins for logind, UPower and a screen saver (python3-dbusmock).

usage: desktop.py [WHAT…], where WHAT is login, lid, saver

Prints the addresses of the system's and the user's bus, a line each; then obeys lines on standard input and answers
each with a line: lock, unlock, hint on|off, sleep on|off, lid on|off, saver on|off, foreign lock, forged unlock,
inhibited.
"""
import os
import signal as signals
import subprocess
import sys
import tempfile
import threading

import dbus
import dbus.lowlevel

CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir={}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>"""
# Who runs this may have signals blocked, which the children would inherit.
signals.pthread_sigmask(signals.SIG_SETMASK, [])
folder = tempfile.TemporaryDirectory()
children = []


def bus():
    config = tempfile.NamedTemporaryFile("w", suffix=".conf", dir=folder.name, delete=False)
    config.write(CONFIG.format(folder.name))
    config.close()
    daemon = subprocess.Popen(["dbus-daemon", "--nofork", "--print-address", "--config-file", config.name],
                              stdout=subprocess.PIPE, text=True)
    children.append(daemon)
    address = daemon.stdout.readline().strip()
    return address, dbus.bus.BusConnection(address)


def mock(address, connection, name, path, interface, template=None, parameters="{}"):
    environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=address, DBUS_SESSION_BUS_ADDRESS=address)
    words = ["/usr/bin/python3", "-m", "dbusmock"]
    words += ["--template", template, "--parameters", parameters] if template else [name, path, interface]
    children.append(subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL))
    for _ in range(400):
        if connection.name_has_owner(name):
            return connection.get_object(name, path)
        threading.Event().wait(0.025)
    sys.exit(f"{name} does not come")


wanted = sys.argv[1:]
system_address, system = bus()
user_address, user = bus()
LOGIN, SESSION = "org.freedesktop.login1", "/org/freedesktop/login1/session/"
MOCK = "org.freedesktop.DBus.Mock"
login = lid = saver = None
if "login" in wanted:
    login = mock(system_address, system, LOGIN, "/org/freedesktop/login1", None, "logind")
    login.AddSession("c1", "seat0", dbus.UInt32(os.getuid()), "me", True, dbus_interface=MOCK)
    login.AddSession("c2", "seat0", dbus.UInt32(os.getuid() + 1), "other", True, dbus_interface=MOCK)
if "lid" in wanted:
    lid = mock(system_address, system, "org.freedesktop.UPower", "/org/freedesktop/UPower", None, "upower")
if "saver" in wanted:
    saver = mock(user_address, user, "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver")


def session(name):
    return system.get_object(LOGIN, SESSION + name)


def signal(target, interface, name, signature, arguments):
    target.EmitSignal(interface, name, signature, arguments, dbus_interface=MOCK)


def change(target, interface, name, value):
    target.UpdateProperties(interface, {name: value}, dbus_interface=MOCK)


def obey(line):
    words = line.split()
    on = words[-1] == "on"
    match words[0]:
        case "lock": signal(session("c1"), LOGIN + ".Session", "Lock", "", [])
        case "unlock": signal(session("c1"), LOGIN + ".Session", "Unlock", "", [])
        case "foreign": signal(session("c2"), LOGIN + ".Session", "Lock", "", [])
        case "hint": change(session("c1"), LOGIN + ".Session", "LockedHint", on)
        case "sleep": change(login, LOGIN + ".Manager", "PreparingForSleep", on) or signal(login, LOGIN + ".Manager", "PrepareForSleep", "b", [on])
        case "lid": change(lid, "org.freedesktop.UPower", "LidIsClosed", on)
        case "saver": signal(saver, "org.gnome.ScreenSaver", "ActiveChanged", "b", [on])
        case "forged":
            for name in system.list_names():
                if name.startswith(":"):
                    message = dbus.lowlevel.SignalMessage(SESSION + "c1", LOGIN + ".Session", "Unlock")
                    message.set_destination(name)
                    system.send_message(message)
            system.flush()
        case "inhibited":
            return str(len(login.ListInhibitors(dbus_interface=LOGIN + ".Manager")))
    return "done"


print(system_address, user_address, sep="\n", flush=True)
for line in sys.stdin:
    print(obey(line), flush=True)
for child in children:
    child.terminate()
for child in children:
    child.wait()
