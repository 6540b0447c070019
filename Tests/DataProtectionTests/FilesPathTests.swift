import DataProtection
import Foundation
import TestSupport
import Testing

/// Where a volume's URLs lead.
@Suite struct `A volume's URL` {
    @Test func `is below a root that the host cannot have`() throws {
        let rig = try VolumeRig()
        let root = rig.files.rootURL
        #expect(root.path == "/proc/data-protection/" + rig.volume.identifier)
        #expect(root.isFileURL && root.hasDirectoryPath)
        // Whoever runs this, also root, can make nothing there with a call that was forgotten.
        let host = FileManager.default
        let file = root.appending(path: "f")
        let data = Data("plaintext".utf8)
        #expect(throws: (any Error).self) { try data.write(to: file) }
        #expect(throws: (any Error).self) { try data.write(to: file, options: .atomic) }
        #expect(throws: (any Error).self) {
            try host.createDirectory(at: root, withIntermediateDirectories: true)
        }
        #expect(throws: (any Error).self) {
            try host.createDirectory(
                atPath: "/proc/data-protection", withIntermediateDirectories: false)
        }
        #expect(!host.createFile(atPath: file.path, contents: data))
        #expect(mkdir("/proc/data-protection", 0o700) == -1)
        #expect(open("/proc/data-protection", O_CREAT | O_WRONLY, 0o600) == -1)
        let source = try ScratchFolder()
        try data.write(to: URL(filePath: source.path(of: "s")))
        for call in [host.copyItem(atPath:toPath:), host.moveItem(atPath:toPath:)] {
            #expect(throws: (any Error).self) { try call(source.path(of: "s"), file.path) }
        }
        #expect(throws: (any Error).self) {
            try host.createSymbolicLink(atPath: file.path, withDestinationPath: "/tmp")
        }
        #expect(FileHandle(forWritingAtPath: file.path) == nil)
        #expect(!host.fileExists(atPath: "/proc/data-protection"))
    }

    @Test func `is resolved in the text, and never leads out`() throws {
        let rig = try VolumeRig()
        let root = rig.files.rootURL.path
        try rig.volume.makeFolder("a")
        try rig.volume.makeFolder("a/b")
        try rig.make("a/f", [7])
        let inside = [
            "a/f", "./a/./f", "a//f", "a/b/../f", "nowhere/../a/f", root + "/a/f",
            root + "/../\(rig.volume.identifier)/a/f", "/x/..\(root)/a/b/../f", root + "//a/f/",
        ]
        for path in inside {
            #expect(try rig.files.contents(atPath: path) == Data([7]), "\(path)")
            #expect(try rig.files.fileExists(atPath: path))
        }
        let outside = [
            "../f", "a/../../f", root + "/../a/f", "/a/f", "/", "/etc/passwd", "/proc",
            root + "x/a/f", "/../" + root + "/../a",
        ]
        for path in outside {
            #expect(fileRefusal { _ = try rig.files.contents(atPath: path) } == .invalidName)
            #expect(fileRefusal { try rig.files.removeItem(atPath: path) } == .invalidName)
            #expect(cocoaCode { try rig.files.removeItem(atPath: path) } == 514)
            #expect(cocoaCode { _ = try rig.files.fileExists(atPath: path) } == 258)
        }
        #expect(try rig.files.volumePath(of: rig.url("a/./b/../f")) == "a/f")
        #expect(try rig.files.volumePath(of: rig.files.rootURL) == "")
        #expect(cocoaCode { _ = try rig.files.volumePath(of: URL(filePath: "/a")) } == 258)
        let error = #expect(throws: CocoaError.self) { try rig.files.removeItem(atPath: "/a") }
        #expect(error?.localizedDescription.contains(root) == true, "it says where files are")
        #expect(try rig.files.subpathsOfDirectory(atPath: ".") == ["a", "a/b", "a/f"])
    }

    @Test func `that names nothing is never the top folder`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1])
        let urls = [
            URL(string: "file:///a%FFb")!, URL(string: "file:")!, URL(string: "https://a/b")!,
            URL(string: "data:,x")!, URL(filePath: "relative"),
        ]
        for url in urls {
            #expect(fileRefusal { try rig.files.removeItem(at: url) } == .invalidName, "\(url)")
            #expect(
                fileRefusal { _ = try Data(contentsOf: url, in: rig.files) } == .invalidName)
        }
        #expect(fileRefusal { try rig.files.removeItem(atPath: "") } == .invalidName)
        for path in ["/" + rig.files.rootURL.path, ".", "a/..", rig.files.rootURL.path] {
            #expect(fileRefusal { try rig.files.removeItem(atPath: path) } == .invalidArgument)
            #expect(fileRefusal { try rig.files.moveItem(atPath: path, toPath: "g") } != nil)
            #expect(fileRefusal { try rig.files.copyItem(atPath: path, toPath: "g") } != nil)
        }
        #expect(try rig.volume.list().map(\.name) == ["f"])
    }

    @Test(arguments: RigStore.allCases) func `can hold every name`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let names = [
            "a b", "100%", "%41", "a%2Fb", "what?", "#1", "ünïcödé", "e\u{301}", "\u{301}x", "日本語",
            "🙂",
            "a:b", "-", ".hidden", "..x", "\\", "\"", "a\nb", String(repeating: "x", count: 255),
            "damaged:x", "~", "*", " ", "a;b", "[x]",
        ]
        for (index, name) in names.enumerated() {
            let url = rig.files.rootURL.appending(path: name, directoryHint: .notDirectory)
            try Data([UInt8(index)]).write(to: url, in: rig.files)
            #expect(try rig.volume.read(name) == [UInt8(index)])
        }
        let listed = try rig.files.contentsOfDirectory(
            at: rig.files.rootURL, includingPropertiesForKeys: nil)
        #expect(listed.count == names.count)
        for url in listed {
            let index = try #require(names.firstIndex { $0 == url.lastPathComponent })
            #expect(try Data(contentsOf: url, in: rig.files) == Data([UInt8(index)]))
            #expect(try rig.files.contents(atPath: url.path) == Data([UInt8(index)]))
        }
        #expect(Set(try rig.files.contentsOfDirectory(atPath: ".")) == Set(names))
    }

    @Test func `can be below a mount point instead`() throws {
        let rig = try VolumeRig()
        let files = ProtectedFileManager(volume: rig.volume, rootPath: "/home/me/vault")
        try Data([1]).write(to: URL(filePath: "/home/me/vault/f"), in: files)
        #expect(try rig.volume.read("f") == [1])
        #expect(files.rootURL.path == "/home/me/vault")
        #expect(files.temporaryDirectory.path == "/home/me/vault/tmp")
        #expect(fileRefusal { _ = try files.contents(atPath: "/home/me/f") } == .invalidName)
    }
}
