import DataProtection
import Foundation
import Testing

/// Apple's truth tables, by a program that knows nothing of volumes. What is done with open files
/// and mappings is in `LockTests`.
@Suite(
    "The truth tables, from outside", .enabled(if: Machine.mounts, "needs root and /dev/fuse"))
struct OutsideTruthTests {
    @Test func `hold while locked and before the first unlock`() throws {
        let base = try MountRig.makeFolder()
        defer { MountRig.remove(base) }
        let (host, mount) = (base + "/host", base + "/mount")
        mkdir(mount, 0o755)
        let table = { (phase: String) in
            try run(["python3", "-c", Self.program, mount, phase]).output
        }
        var driver = try MountDriverProcess(host, mount)
        #expect(try table("prepare") == "")
        driver.conversation.say("lock")
        #expect(driver.conversation.line()?.hasPrefix("locked") == true)
        let locked = try table("locked")
        #expect(locked == "72 cells, [] left behind\n")
        driver.conversation.say("unmount")
        #expect(driver.conversation.line() == "unmounted")
        driver.conversation.end()
        driver = try MountDriverProcess(host, mount, "--locked")
        let early = try table("early")
        #expect(early == "72 cells, [] left behind\n")
    }

    private static let program = """
        import errno, os, shutil, sys
        mount, phase = sys.argv[1:]
        attribute = 'user.dataprotection.class'
        names = {'A': 'complete', 'B': 'completeUnlessOpen',
                 'C': 'completeUntilFirstUserAuthentication', 'D': 'none'}
        free = ['stat', 'list', 'class', 'rename', 'link', 'chmod', 'attribute']
        deeds = free + ['create', 'create-in-folder', 'read', 'write', 'truncate-open',
                        'truncate-path', 'copy'] + ['to-' + name for name in names]
        def path(state, letter, deed): return f'{mount}/{state}-{letter}-{deed}'
        def make(path): os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        def check(truth):
            if not truth: raise OSError(0, 'wrong')
        def deed(state, letter, name):
            file = path(state, letter, name)
            folder = f'{mount}/folder-{state}-{letter}'
            if name.startswith('to-'):
                return os.setxattr(file, attribute, names[name[3]].encode())
            return {
                'create': lambda: make(f'{mount}/.dataprotection:{letter}:new-{state}-{letter}'),
                'create-in-folder': lambda: make(folder + '/new'),
                'read': lambda: os.close(os.open(file, os.O_RDONLY)),
                'write': lambda: os.close(os.open(file, os.O_WRONLY)),
                'truncate-open': lambda: os.close(os.open(file, os.O_WRONLY | os.O_TRUNC)),
                'truncate-path': lambda: os.truncate(file, 2),
                'copy': lambda: shutil.copyfile(file, mount + '.copy'),
                'stat': lambda: check(os.stat(file).st_size == 7),
                'list': lambda: check(os.path.basename(file) in os.listdir(mount)),
                'class': lambda: check(os.getxattr(file, attribute) == names[letter].encode()),
                'rename': lambda: os.rename(file, file + '-moved'),
                'link': lambda: os.link(file, file + '-linked'),
                'chmod': lambda: os.chmod(file, 0o640),
                'attribute': lambda: os.setxattr(file, 'user.note', b'x'),
            }[name]()
        def expected(state, letter, name):
            if name in free or name == 'to-' + letter: return 0
            opens = letter == 'D' or letter == 'C' and state == 'locked'
            makes = lambda letter: letter in 'BD' or letter == 'C' and state == 'locked'
            if name.startswith('create'): allowed = makes(letter)
            elif name.startswith('to-'): allowed = opens and makes(name[3])
            else: allowed = opens
            return 0 if allowed else errno.EPERM
        if phase == 'prepare':
            for state in ['locked', 'early']:
                for letter in names:
                    folder = f'{mount}/folder-{state}-{letter}'
                    os.mkdir(folder)
                    os.setxattr(folder, attribute, names[letter].encode())
                    for name in deeds:
                        with open(path(state, letter, name), 'w') as file: file.write('content')
                        os.setxattr(path(state, letter, name), attribute, names[letter].encode())
            sys.exit()
        count = 0
        for letter in names:
            for name in deeds:
                try:
                    deed(phase, letter, name)
                    answer = 0
                except OSError as error: answer = error.errno
                count += 1
                if answer != expected(phase, letter, name):
                    print(f'{letter} {name}: {answer}')
        left = [name for name in os.listdir(mount) if name.startswith(f'new-{phase}')]
        refused = [name for name in left if expected(phase, name[-1], 'create') != 0]
        print(f'{count} cells, {refused} left behind')
        """
}
