#!/usr/bin/env python3
"""A mounted volume beside other file systems in user space, all on one host folder in memory.

Each row is measured for every system in turn, several times over, so that whatever else the machine
does hits all of them; the table has medians, and ours as a ratio of each, with the middle half of
the rounds' ratios.

    mount.py DRIVER [ROUNDS [PLOT]]     DRIVER is the built MountDriver, PLOT an SVG; as root

libfuse's passthrough_ll is built from the examples of Debian's libfuse3-dev. gocryptfs and securefs
are measured where they are installed.
"""
import glob, gzip, math, os, random, shutil, statistics, subprocess, sys, tempfile, time

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
            # It tells the kernel to believe attributes for 30 s; the others say one.
            run('securefs', 'mount', '--pass', 't', '-b', '--attr-timeout', '1', host, place)
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


def ratios(found, row, name):
    """Each ratio is of one round, in which both met the same load: a quarter, the middle, three."""
    each = [ours / theirs for ours, theirs in zip(found[row]['seal'], found[row][name])]
    return statistics.quantiles(each, n=4, method='inclusive')


def table(found, others):
    print('| a second | seal | ' + ' | '.join(others) + ' | '
          + ' | '.join(f'of {name}' for name in others) + ' |')
    print('|---' * (2 + 2 * len(others)) + '|')
    for row in ROWS:
        cells = [f'{statistics.median(found[row][name]):,.0f}' for name in ['seal', *others]]
        for name in others:
            low, middle, high = ratios(found, row, name)
            cells.append(f'{middle:.2f} ({low:.2f} to {high:.2f})')
        print(f"| {row.replace('_', ' ')} | " + ' | '.join(cells) + ' |')


def plot(found, others, path):
    """Bars of ratios, on a scale of powers of two, with the middle half as a line."""
    left, top, group, height = 60, 20, 84, 320
    low, high = -1, 5
    shades = ['#4477aa', '#ee9933', '#669944', '#aa3377']

    def level(ratio):
        power = min(max(math.log2(ratio), low), high)
        return top + height * (high - power) / (high - low)
    width = left + group * len(ROWS) + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top + height + 90}"'
             ' font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>']
    for power in range(low, high + 1):
        y = level(2.0 ** power)
        parts.append(f'<path d="M{left} {y:.1f}H{width - 20}" stroke="{"black" if power == 0 else "#ddd"}"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{2.0 ** power:g}</text>')
    for place, row in enumerate(ROWS):
        x = left + place * group
        for index, name in enumerate(others):
            quarter, middle, three = (level(ratio) for ratio in ratios(found, row, name))
            one = level(1)
            bar = x + 6 + index * 24
            parts.append(f'<rect x="{bar}" y="{min(middle, one):.1f}" width="20" '
                         f'height="{abs(middle - one):.1f}" fill="{shades[index]}"/>')
            parts.append(f'<path d="M{bar + 10} {quarter:.1f}V{three:.1f}" stroke="black"/>')
        first, _, rest = row.replace('_', ' ').partition(' ')
        for line, words in enumerate((first, rest)):
            parts.append(f'<text x="{x + group / 2 - 4}" y="{top + height + 18 + 14 * line}" '
                         f'text-anchor="middle">{words}</text>')
    for index, name in enumerate(others):
        x = left + index * 190
        parts.append(f'<rect x="{x}" y="{top + height + 56}" width="12" height="12" '
                     f'fill="{shades[index]}"/>')
        parts.append(f'<text x="{x + 18}" y="{top + height + 67}">seal / {name}</text>')
    with open(path, 'w') as file:
        file.write('\n'.join(parts) + '\n</svg>\n')


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
        table(found, others)
        if len(sys.argv) > 3:
            plot(found, others, sys.argv[3])
    finally:
        for place in glob.glob(work + '/*.mount'):
            subprocess.run(['umount', '-l', place])
        time.sleep(1)
        shutil.rmtree(work, ignore_errors=True)


main()
