#!/usr/bin/env python3
"""Locks and unlocks a mounted volume many times while programs write, and looks for what was lost.

    mount-lock-cycles.py DRIVER [CYCLES [FOLDER]]     DRIVER is the built MountDriver; as root

Two writers of class complete go on when they are refused, and count what was reported as done; beside
them fio with checksums, SQLite in WAL mode and git work in a folder of class none. At the end every
counted write must be there, and when everything is removed and forgotten the process must hold the
descriptors and, give or take some megabytes, the memory that it held at the start.
"""
import os, shutil, sqlite3, struct, subprocess, sys, tempfile, threading, time

QUIET = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Server:
    def __init__(self, driver, folder):
        self.mount = folder + '/mount'
        os.makedirs(folder + '/host'), os.makedirs(self.mount)
        self.process = subprocess.Popen(
            [driver, folder + '/host', self.mount, '--class', 'complete'], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == 'ready\n'

    def say(self, word):
        self.process.stdin.write(word + '\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert not answer.startswith('error'), answer
        return answer

    def descriptors(self):
        return len(os.listdir(f'/proc/{self.process.pid}/fd'))

    def memory(self):
        with open(f'/proc/{self.process.pid}/status') as status:
            return next(int(line.split()[1]) for line in status if line.startswith('VmRSS')) // 1024


class Writer(threading.Thread):
    """Appends numbers to a file of class complete."""

    def __init__(self, path, stop):
        super().__init__()
        self.path, self.stop, self.done, self.refused, self.fault = path, stop, 0, 0, None

    def run(self):
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        while not self.stop.is_set():
            try:
                if os.pwrite(file, struct.pack('<Q', self.done), self.done * 8) == 8:
                    self.done += 1
            except PermissionError:
                self.refused += 1
            except OSError as error:
                self.fault = error
                break
        os.close(file)

    def check(self):
        with open(self.path, 'rb') as file:
            content = file.read()
        numbers = struct.unpack(f'<{len(content) // 8}Q', content)
        assert self.fault is None, self.fault
        assert numbers == tuple(range(self.done)), f'{self.path}: {len(numbers)} of {self.done}'


class Program(threading.Thread):
    """Does something over and over; whatever fails there is a fault."""

    def __init__(self, body, stop):
        super().__init__()
        self.body, self.stop, self.rounds, self.fault = body, stop, 0, None

    def run(self):
        try:
            while not self.stop.is_set():
                self.body(self.rounds)
                self.rounds += 1
        except Exception as error:
            self.fault = error


def fio(folder):
    def body(_):
        subprocess.run(
            ['fio', '--name=v', f'--directory={folder}', '--rw=randrw', '--bsrange=512-64k', '--size=8m',
             '--verify=crc32c', '--verify_fatal=1', '--verify_state_save=0', '--end_fsync=1'],
            check=True, **QUIET)
    return body


def rows(folder):
    def body(number):
        base = sqlite3.connect(folder + '/base.db', timeout=60)
        base.execute('PRAGMA journal_mode=WAL')
        base.execute('CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b BLOB)')
        for row in range(100):
            with base:
                base.execute('INSERT INTO t VALUES(?, randomblob(200))', (number * 100 + row,))
        base.close()
    return body


def git(folder):
    words = ['git', '-c', 'user.name=n', '-c', 'user.email=e', '-c', 'gc.auto=0', '-C', folder]

    def body(number):
        if number == 0:
            os.makedirs(folder)
            subprocess.run([*words, 'init', '-q'], check=True, **QUIET)
        for name in range(5):
            with open(f'{folder}/f{name}', 'a') as file:
                file.write(f'line {number}\n')
        subprocess.run([*words, 'add', '-A'], check=True, **QUIET)
        subprocess.run([*words, 'commit', '-qm', str(number)], check=True, **QUIET)
    return body


def settled(read, wanted):
    """Waits for the kernel to forget what was removed."""
    for _ in range(100):
        if read() <= wanted:
            break
        time.sleep(0.1)
    return read()


def run(driver, cycles, folder):
    server = Server(driver, folder)
    place = server.mount
    try:
        descriptors, memory = server.descriptors(), server.memory()
        open_folder = place + '/open'
        os.mkdir(open_folder)
        os.setxattr(open_folder, 'user.dataprotection.class', b'none')
        stop = threading.Event()
        writers = [Writer(f'{place}/w{number}', stop) for number in range(2)]
        programs = [Program(body, stop) for body in (
            fio(open_folder), rows(open_folder), git(open_folder + '/git'))]
        for thread in writers + programs:
            thread.start()
        for _ in range(cycles):
            time.sleep(0.01)
            server.say('lock')
            time.sleep(0.002)
            server.say('unlock')
        stop.set()
        for thread in writers + programs:
            thread.join()
        for program in programs:
            assert program.fault is None, program.fault
        for writer in writers:
            writer.check()
        base = sqlite3.connect(open_folder + '/base.db')
        assert base.execute('PRAGMA integrity_check').fetchone() == ('ok',)
        assert base.execute('SELECT count(*) FROM t').fetchone()[0] == programs[1].rounds * 100
        base.close()
        subprocess.run(['git', '-C', open_folder + '/git', 'fsck', '--strict'], check=True, **QUIET)
        for name in os.listdir(place):
            path = f'{place}/{name}'
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        left = settled(server.descriptors, descriptors)
        assert left <= descriptors, f'{left} descriptors, {descriptors} at the start'
        print(f'{cycles} locks: {sum(w.done for w in writers):,} writes there, '
              f'{sum(w.refused for w in writers):,} refused, '
              f'{[p.rounds for p in programs]} rounds of fio, SQLite and git; descriptors '
              f'{descriptors} to {left}, memory {memory} to {server.memory()} MiB')
    finally:
        subprocess.run(['umount', '-l', place], **QUIET)
        server.process.kill()
        server.process.wait()


def main():
    cycles = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    folder = sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp()
    try:
        run(sys.argv[1], cycles, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
