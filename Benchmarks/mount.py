#!/usr/bin/env python3
"""A mounted volume beside other file systems in user space, all on one host folder in memory.

Each row is measured for every system in turn, several times over, so that whatever else the machine
does hits all of them; the table has medians, and each as a ratio of ours.

    mount.py DRIVER [ROUNDS]      DRIVER is the built MountDriver; as root

libfuse's passthrough_ll is built from the examples of Debian's libfuse3-dev. gocryptfs and securefs
are measured where they are installed.
"""
import glob, gzip, os, random, shutil, statistics, subprocess, sys, tempfile, time

MIB = 1 << 20
BLOCK = os.urandom(MIB)
NUMBERS = 1000


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def build_passthrough(work):
    folder = '/usr/share/doc/libfuse3-dev/examples/'
    for name in ('passthrough_ll.c', 'passthrough_helpers.h'):
        if os.path.exists(folder + name):
            shutil.copy(folder + name, work)
        else:
            with gzip.open(folder + name + '.gz') as packed, open(f'{work}/{name}', 'wb') as plain:
                plain.write(packed.read())
    flags = subprocess.check_output(['pkg-config', '--cflags', '--libs', 'fuse3'], text=True).split()
    run('gcc', '-O2', '-w', f'{work}/passthrough_ll.c', '-o', f'{work}/passthrough_ll', *flags)


def mount_all(work, driver):
    build_passthrough(work)
    systems = {}
    for name in ('seal', 'passthrough_ll', 'gocryptfs', 'securefs'):
        if name in ('gocryptfs', 'securefs') and not shutil.which(name):
            continue
        host, place = f'{work}/{name}.host', f'{work}/{name}.mount'
        os.makedirs(host), os.makedirs(place)
        if name == 'seal':
            server = subprocess.Popen([driver, host, place, '--serve'], stdout=subprocess.PIPE)
            assert server.stdout.readline() == b'ready\n'
        elif name == 'passthrough_ll':
            run(f'{work}/passthrough_ll', '-o', f'source={host}', place)
        elif name == 'gocryptfs':
            run('gocryptfs', '-init', '-q', '-extpass', 'echo t', '-scryptn', '10', host)
            run('gocryptfs', '-q', '-nosyslog', '-extpass', 'echo t', host, place)
        else:
            run('securefs', 'create', '--pass', 't', '--format', '4', '-r', '1', host)
            run('securefs', 'mount', '--pass', 't', '-b', host, place)
        os.makedirs(place + '/w')
        systems[name] = place + '/w'
    return systems


def timed(body):
    start = time.perf_counter()
    body()
    return time.perf_counter() - start


class Rows:
    """What is measured: each method prepares, and returns operations a second."""

    def __init__(self, place):
        self.place = place
        self.random = random.Random(7)
        self.offsets = [self.random.randrange(16384) * 4096 for _ in range(NUMBERS)]

    def path(self, name):
        return f'{self.place}/{name}'

    def sequential_write_1_MiB(self):
        def body():
            file = os.open(self.path('big'), os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            for _ in range(64):
                os.write(file, BLOCK)
            os.close(file)
        return 64 / timed(body)

    def sequential_read_1_MiB(self):
        def body():
            file = os.open(self.path('big'), os.O_RDONLY)
            while os.read(file, MIB):
                pass
            os.close(file)
        return 64 / timed(body)

    def _at_offsets(self, body):
        file = os.open(self.path('big'), os.O_RDWR)
        seconds = timed(lambda: [body(file, offset) for offset in self.offsets])
        os.close(file)
        return NUMBERS / seconds

    def random_write_4_KiB(self):
        return self._at_offsets(lambda file, offset: os.pwrite(file, BLOCK[:4096], offset))

    def random_read_4_KiB(self):
        return self._at_offsets(lambda file, offset: os.pread(file, 4096, offset))

    def write_and_fsync_4_KiB(self):
        def body(file, offset):
            os.pwrite(file, BLOCK[:4096], offset)
            os.fsync(file)
        return self._at_offsets(body)

    def create(self):
        def body():
            for number in range(NUMBERS):
                os.close(os.open(self.path(f'n{number}'), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        return NUMBERS / timed(body)

    def stat(self):
        time.sleep(1.1)  # what the kernel was told is old then
        return NUMBERS / timed(lambda: [os.stat(self.path(f'n{n}')) for n in range(NUMBERS)])

    def open_and_read_2_KiB(self):
        for number in range(NUMBERS):
            with open(self.path(f'n{number}'), 'wb') as file:
                file.write(BLOCK[:2048])

        def body():
            for number in range(NUMBERS):
                file = os.open(self.path(f'n{number}'), os.O_RDONLY)
                os.read(file, 4096)
                os.close(file)
        return NUMBERS / timed(body)

    def unlink(self):
        return NUMBERS / timed(lambda: [os.unlink(self.path(f'n{n}')) for n in range(NUMBERS)])

    def list_10000(self):
        folder = self.path('many')
        if not os.path.isdir(folder):
            os.mkdir(folder)
            for number in range(10000):
                os.close(os.open(f'{folder}/name-{number}', os.O_CREAT | os.O_WRONLY))
        return 1 / timed(lambda: os.listdir(folder))


ROWS = ['sequential_write_1_MiB', 'sequential_read_1_MiB', 'random_write_4_KiB',
        'random_read_4_KiB', 'write_and_fsync_4_KiB', 'create', 'stat', 'open_and_read_2_KiB',
        'unlink', 'list_10000']


def main():
    driver, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    work = tempfile.mkdtemp(prefix='mounts', dir='/dev/shm')
    try:
        systems = {name: Rows(place) for name, place in mount_all(work, driver).items()}
        found = {row: {name: [] for name in systems} for row in ROWS}
        for _ in range(rounds):
            for row in ROWS:
                for name, rows in systems.items():
                    found[row][name].append(getattr(rows, row)())
        others = [name for name in systems if name != 'seal']
        print('| a second | seal | ' + ' | '.join(others) + ' | '
              + ' | '.join(f'of {name}' for name in others) + ' |')
        print('|---' * (2 + 2 * len(others)) + '|')
        for row in ROWS:
            middle = {name: statistics.median(found[row][name]) for name in systems}
            # Each ratio is of one round, in which both met the same load.
            ratios = {
                name: statistics.median(
                    ours / theirs
                    for ours, theirs in zip(found[row]['seal'], found[row][name]))
                for name in others}
            print(f"| {row.replace('_', ' ')} | {middle['seal']:,.0f} | "
                  + ' | '.join(f'{middle[name]:,.0f}' for name in others) + ' | '
                  + ' | '.join(f'{ratios[name]:.2f}' for name in others) + ' |')
    finally:
        for place in glob.glob(work + '/*.mount'):
            subprocess.run(['umount', '-l', place])
        time.sleep(1)
        shutil.rmtree(work, ignore_errors=True)


main()
