import Foundation
import Testing

/// Mounts of somebody who is not root, in a mount namespace of their own: there the machine's
/// rights to FUSE are what the test says, and nothing stays mounted.
@Suite(
    "A user who is not root", .enabled(if: OrdinaryMount.isPossible, "needs users without rights"))
struct UserTests {
    @Test func `mounts through the helper, and nobody else may enter, not even root`() throws {
        let output = try OrdinaryMount.run(
            """
            serve mount
            as 65534 sh -c 'echo letter > mount/f; cat mount/f'
            as 12345 cat mount/f 2>&1 || true
            cat mount/f 2>&1 || true
            as 65534 fusermount3 -u mount
            wait
            cat said
            """)
        #expect(
            output == """
                letter
                cat: mount/f: Permission denied
                cat: mount/f: Permission denied
                ready
                closed

                """)
    }

    @Test func `lets others in where fuse.conf says so, however it writes it`() throws {
        let output = try OrdinaryMount.run(
            """
            for line in '' '#user_allow_other' user_allow_others ' user_allow_other # for Ada'; do
                echo "$line" > fuse.conf
                mount --bind fuse.conf /etc/fuse.conf
                serve mount --others
                cat said
                umount /etc/fuse.conf
            done
            as 65534 chmod 755 mount
            as 12345 ls mount && echo in
            as 65534 fusermount3 -u mount
            """)
        let lines = output.split(separator: "\n")
        #expect(lines.count == 5 && lines[3...] == ["ready", "in"], "\(output)")
        #expect(Set(lines[..<3]).count == 1 && lines[0].contains("only root may let"), "\(output)")
    }

    @Test func `is told in one sentence what is in the way`() throws {
        let output = try OrdinaryMount.run(
            """
            mkdir -m 755 roots; mkdir -m 700 closed; mkdir -m 700 closed/in; mkdir -m 755 full
            touch full/f; chown 65534 full
            for folder in roots closed/in closed full full/f nothing; do
                serve $folder
                cat said
            done
            serve_without_helper
            cat said
            chmod 600 fuse
            serve mount
            cat said
            chmod 666 fuse
            mount -t tmpfs none /dev
            touch /dev/null
            serve mount
            cat said
            """)
        let lines = output.split(separator: "\n").map(String.init)
        let wanted = [
            "this user may not write to the folder", "this user may not enter the folder",
            "this user may not read the folder", "the folder is not empty", "it is not a folder",
            "there is no such folder", "fusermount3 is missing", "this user may not use /dev/fuse",
            "this machine has no /dev/fuse",
        ]
        #expect(lines.count == wanted.count, "\(output)")
        for (line, sentence) in zip(lines, wanted) { #expect(line.contains(sentence), "\(output)") }
    }

    @Test func `mounts again where a server was killed, and nothing synced is lost`() throws {
        let output = try OrdinaryMount.run(
            """
            serve mount
            as 65534 sh -c 'echo synced > mount/f; sync mount/f; ls mount; stat -c %F mount'
            kill -9 "$server"
            wait "$server" 2> /dev/null || true
            serve mount
            cat said
            as 65534 cat mount/f
            as 65534 fusermount3 -u mount
            wait
            """)
        #expect(output == "f\ndirectory\nready\nsynced\n", "\(output)")
    }
}

/// Scripts in a mount namespace, with a folder that belongs to the user 65534.
enum OrdinaryMount {
    /// Whether there can be such a namespace, and whether users reach what was built.
    static let isPossible: Bool = {
        guard Machine.mounts, Machine.has("setpriv"), Machine.has("unshare") else { return false }
        return (try? run("as 65534 \"$driver\" || true")) == "error two folders are needed\n"
    }()

    /// Runs a script.
    ///
    /// - Returns: what it prints.
    static func run(_ script: String) throws -> String {
        let base = try MountRig.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: base) }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let driver = URL(filePath: own).deletingLastPathComponent().appending(path: "MountDriver")
        // A line ready or an error is what the driver says first; the mount is busy until then.
        let tools = """
            set -eu
            driver=\(driver.path)
            as() { user=$1; shift; setpriv --reuid=$user --regid=$user --clear-groups "$@"; }
            serve() { serve_from fusermount3 "$@"; }
            serve_without_helper() { serve_from nothing mount; }
            serve_from() {
                path=/usr/bin:/bin; if [ "$1" = nothing ]; then path=/nowhere; fi
                shift; folder=$1; shift
                : > said
                setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/env PATH=$path \
                    "$driver" host "$folder" --serve "$@" > said 2>&1 &
                server=$!
                until /usr/bin/grep -q 'ready\\|error' said; do /usr/bin/sleep 0.02; done
            }
            mount -t tmpfs -o mode=755 none .
            cd "$PWD"
            mknod fuse c 10 229
            chmod 666 fuse
            mount --bind fuse /dev/fuse
            mkdir -m 755 mount
            chown 65534 . mount

            """
        return try MountTests.run(
            ["timeout", "60", "unshare", "--mount", "sh", "-c", tools + script], in: base
        ).output
    }
}
