#!/usr/bin/env python3
"""code_hash.py FLAGS OBJECT...: a C file with a hash of the code that each variant can run.

A variant reaches the object that defines its operations, its back end, its benchmark and the
measurement, and from there every object that defines a symbol which these use.  The hash covers their
machine code and data with the names that relocations refer to, PTX and SASS, and FLAGS of the linker.
It covers no debug information, so that no comment, line number or path changes it.
"""
import hashlib
import re
import struct
import sys

# Tables of all variants and benchmarks would reach everything.  Records, reports and commands stand
# outside of what is timed, and verification checks what was computed.
BEYOND = re.compile(r"/(cli/(commands|plugins|records|report)/|common/(variants|backends)\.o|"
                    r"cli/benchmarks/registry\.o|.*_(verify|reference)\.o)")
OPERATIONS = re.compile(rb"(?!gb_)([a-z]+)_(cpu|cuda|vulkan)_\w+")
# nvcc makes these of the path of a file and of its text: "_INTERNAL_4c1985f3_6_cub_cu_be6f15da".
MODULE = re.compile(rb"[0-9a-f]{8}(_\d+_\w+?_cu_)[0-9a-f]{8}")
DEBUG = re.compile(rb"(\.nv\.merc)?(\.rela?)?\.(nv_)?debug|\.note")
PTX_DEBUG = re.compile(rb"\.section\s+\.debug\w*\s*\{.*?\n\}|^\s*(\.loc|\.file|//)[^\n]*", re.S | re.M)
ALLOC, NOBITS, SYMTAB, STRTAB, RELATIONS, LOCAL, OBJECT = 2, 8, 2, 3, (4, 9), 0, 1


class Elf:
    """An object of 64 bits, or the SASS in it."""

    def __init__(self, data):
        start, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<3H", data, 58)
        self.data = data
        self.sections = [struct.unpack_from("<2I4Q2I2Q", data, start + i * size) for i in range(count)]
        self.names = [self.text(names, s[0]) for s in self.sections]
        self.symbols = []
        for section in self.sections:
            if section[1] == SYMTAB:
                self.symbols = [(self.text(section[6], s[0]), s[1], s[3])
                                for s in struct.iter_unpack("<I2BH2Q", self.content(section))]

    def text(self, section, offset):
        at = self.sections[section][4] + offset
        return self.data[at:self.data.index(b"\0", at)]

    def content(self, section):
        return b"" if section[1] == NOBITS else self.data[section[4]:section[4] + section[5]]

    def feed(self, digest, is_covered):
        def put(text):
            digest.update(MODULE.sub(rb"\1", text) + b"\0")

        for name, section in zip(self.names, self.sections):
            kind, size, info = section[1], section[5], section[7]
            if kind in RELATIONS and is_covered(self.names[info], self.sections[info]):
                form = "<QQq" if kind == RELATIONS[0] else "<QQ"
                for where, what, *addend in struct.iter_unpack(form, self.content(section)):
                    symbol, _, place = self.symbols[what >> 32]
                    put(b"%d %d %r" % (where, what & 0xffffffff, addend))
                    put(symbol or self.names[place])
            elif kind not in RELATIONS and is_covered(name, section):
                put(b"%s %d" % (name, size if kind == NOBITS else 0))
                put(device_code(self.content(section)) if name == b".nv_fatbin"
                    else self.content(section))


def device_code(data):
    """A hash of the PTX and SASS of fat binaries (tests/ptx/fatbin.cc)."""
    digest = hashlib.sha256()
    at = 0
    while at + 16 <= len(data):
        _, _, head, size = struct.unpack_from("<I2HQ", data, at)
        end = at + head + size
        at += head
        while at < end:
            kind, _, head, size = struct.unpack_from("<2HIQ", data, at)
            code = data[at + head:at + head + size]
            at += head + size
            if code.startswith(b"\x7fELF"):
                Elf(code).feed(digest, is_sass)
            else:  # compressed PTX stays as it is
                digest.update(MODULE.sub(rb"\1", PTX_DEBUG.sub(b"", code).rstrip(b"\0")) + b"\0")
        at = (end + 7) // 8 * 8
    return digest.digest()


def is_sass(name, section):
    return section[1] not in (SYMTAB, STRTAB) and not DEBUG.match(name)


def is_host(name, section):
    return section[2] & ALLOC or name.startswith(b".gnu.lto_")


def main():
    flags, paths = sys.argv[1], sys.argv[2:]
    hashes, needs, place, operations = {}, {}, {}, []
    for path in paths:
        with open(path, "rb") as f:
            data = f.read()
        if data[:5] != b"\x7fELF\x02":
            return  # such as those of clang -flto
        elf = Elf(data)
        digest = hashlib.sha256()
        elf.feed(digest, is_host)
        hashes[path] = digest.digest()
        needs[path] = [name for name, _, section in elf.symbols if name and section == 0]
        for name, info, section in elf.symbols:
            if section and info >> 4 != LOCAL:
                place.setdefault(name, path)
                if info & 15 == OBJECT and OPERATIONS.fullmatch(name):
                    operations.append(name)
    print("/* Generated by scripts/code_hash.py. */")
    for name in sorted(operations):
        benchmark, backend = OPERATIONS.fullmatch(name).groups()
        found, left = set(), [name, b"gb_%s_benchmark" % benchmark, b"gb_%s_backend" % backend,
                              b"gb_measure"]
        while left:
            path = place.get(left.pop())
            if path and path not in found and not BEYOND.search(path):
                found.add(path)
                left += needs[path]
        digest = hashlib.sha256(flags.encode())
        for path in paths:
            if path in found:
                digest.update(hashes[path])
        print('extern const char %s_code[];\nconst char %s_code[] = "%s";' %
              (name.decode(), name.decode(), digest.hexdigest()[:32]))


if __name__ == "__main__":
    main()
