#!/usr/bin/python3
"""simt-plugin.py [--ptx] MINE.cu... -o MINE.so [-- OPTIONS] -- compile a plug-in for an executor.

It is installed as gpubench-compile.  OPTIONS are those of the compiler.

    scripts/simt-plugin.py mine.cu -o mine-simt.so
    ./gpubench-simt check radix cuda/mine --plugin=./mine-simt.so

With --ptx nvcc compiles it for the PTX executor, which counts its instructions and memory traffic.
Otherwise g++ compiles it for the emulator, which reports races, accesses outside memory and
uninitialised reads.  The source is plain CUDA; it is preprocessed, and two things that C++ lacks
are rewritten:

    __shared__ T a[N];  extern __shared__ T d[];    references to the block's shared memory
    kernel<<<grid, block, bytes, stream>>>(...)     a call of the emulator

Cannot be converted: inline PTX; shared memory that is declared outside a function; launches of a
template whose arguments are deduced (write kernel<int><<<...>>>); libraries of device code, such as
CUB; functions that tests/simt/simt*.h does not declare.  A message names the line.
"""
import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
# As the emulator's own kernels are compiled for its checker, in tests/simt/simt.mk.
CHECK = "-gstatement-frontiers -O1 -g1 -fno-tree-sra -fno-ipa-sra -fsanitize=thread".split()
# The emulator declares everything that these do.
PTX = ("-std=c++20 -O3 -lineinfo -Xcompiler -fPIC -shared -cudart=none --no-compress "
       "-gencode arch=compute_90,code=compute_90").split()
MEMORY = 16 << 30  # for each process of a compiler; a source may come from a stranger
STUBS = "cuda_runtime.h cuda_runtime_api.h cuda.h device_launch_parameters.h vector_types.h".split()

TOKEN = re.compile(r"""
    \#[^\n]*                                          # a line marker of the preprocessor
  | (?:u8|[uUL])?R"(?P<end>[^(\s]*)\((?:.|\n)*?\)(?P=end)"
  | (?:u8|[uUL])?"(?:\\.|[^"\\])*"
  | (?:u8|[uUL])?'(?:\\.|[^'\\])*'
  | [A-Za-z_]\w* | \.?\d(?:[eEpP][+-]|'?[\w.])*
  | <<< | >>> | << | >> | [-+*/%&|^=!<>]= | && | \|\| | :: | -> | \s+ | .""",
                   re.VERBOSE | re.DOTALL)
BEFORE_SHARED = {"extern", "static", "volatile", "const"}


class Refused(Exception):
    """A reason why the source cannot be converted."""


def is_space(token):
    return token.isspace() or token.startswith("#")


def nesting(token, open_="<", close=">"):
    """How many brackets the token closes: 3 for >>>, -1 for an opening one."""
    return -1 if token == open_ else len(token) if set(token) == {close} else 0


class Source:
    """The tokens of a preprocessed file, spaces and line markers among them."""

    def __init__(self, text):
        self.tokens = [m.group() for m in TOKEN.finditer(text)]

    def refuse(self, at, reason):
        file, line = "?", 0
        for token in self.tokens[:at]:
            marker = re.match(r'# (\d+) "(.*?)"', token)
            if marker:
                file, line = marker.group(2), int(marker.group(1)) - 1
            line += token.count("\n")
        raise Refused("%s:%d: %s" % (file, line, reason))

    def step(self, at, by):
        """The next token in that direction that is no space."""
        at += by
        while 0 <= at < len(self.tokens) and is_space(self.tokens[at]):
            at += by
        return at

    def find(self, at, *wanted):
        """The first of the wanted tokens from `at` on, outside brackets that open after `at`."""
        depth = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if depth == 0 and token in wanted:
                return at
            depth += (token in "([{") - (token in ")]}") if len(token) == 1 else 0
            at += 1
        return at

    def opening(self, at, open_, close):
        """The bracket that the one at `at` closes."""
        depth = 0
        while at >= 0:
            if close == ">" and self.tokens[at] == ")":
                at = self.opening(at, "(", ")")
            depth += nesting(self.tokens[at], open_, close)
            if depth == 0:
                return at
            at -= 1
        return 0

    def text(self, begin, end):
        return "".join(self.tokens[begin:end])

    def newlines(self, begin, end):
        return "".join(t if t.startswith("#") else "\n" * t.count("\n")
                       for t in self.tokens[begin:end] if is_space(t))

    def replace(self, begin, end, text):
        """Put `text` in place of the tokens, and the line breaks that they had after it."""
        self.tokens[begin:end] = [text, self.newlines(begin, end)]


def split(tokens):
    """Split at commas outside all brackets, angle brackets of a type among them."""
    parts, depth, angles = [[]], 0, 0
    for token in tokens:
        if token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth -= 1
        elif not depth:
            angles -= nesting(token)
        if token == "," and not depth and not angles:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def is_in_function(source, at):
    """True if the token is inside braces of anything but namespaces."""
    open_, begin = [], 0
    for k, token in enumerate(source.tokens[:at]):
        if token == "{":
            head = [t for t in source.tokens[begin:k] if not is_space(t)]
            open_.append("namespace" in head or
                         head[:1] == ["extern"] and head[-1].startswith('"'))
        elif token == "}" and open_:
            open_.pop()
        if token in ("{", "}", ";"):
            begin = k + 1
    return not all(open_)


def declarator(tokens):
    """(type before the name, name, dimensions after it)"""
    angles, name = 0, None
    for k, token in enumerate(tokens):
        if token == "[" and not angles:
            break
        angles -= nesting(token)
        if not angles and re.match(r"[A-Za-z_]", token):
            name = k
    else:
        k = len(tokens)
    return tokens[:name], tokens[name] if name is not None else None, tokens[k:]


def convert_shared(source, at, number):
    begin = at
    while source.tokens[source.step(begin, -1)] in BEFORE_SHARED:
        begin = source.step(begin, -1)
    if source.tokens[source.step(begin, -1)] not in (";", "{", "}", ")"):
        source.refuse(at, "write __shared__ before the type")
    if not is_in_function(source, at):
        source.refuse(at, "shared memory must be declared in a function")
    end = source.find(at, ";")
    words = [t for t in source.tokens[begin:at] if t in BEFORE_SHARED]
    tokens = [t for t in source.tokens[at + 1:end] if not is_space(t)]
    words += [t for t in tokens if t == "extern"]
    tokens = [t for t in tokens if t not in ("extern", "static")]
    tokens = (["volatile"] if "volatile" in words else []) + tokens
    align = "1"
    while "alignas" in tokens:
        k = close = tokens.index("alignas")
        depth = 1
        while depth and close < len(tokens) - 1:
            close += 1
            depth -= nesting(tokens[close], "(", ")") + (close == k + 1)
        align = " ".join(tokens[k + 2:close])
        del tokens[k:close + 1]
    text, base = "", None
    for n, part in enumerate(split(tokens)):
        before, name, dimensions = declarator(part)
        if name is None or "=" in part:
            source.refuse(at, "this declaration of shared memory cannot be converted")
        if base is None:
            base = [t for t in before if t not in "*&"]
        else:
            before = base + before
        kind = " ".join(before)
        if "extern" in words:
            text += "%s *const %s = (%s *)simt_dynamic_shared();" % (kind, name, kind)
            continue
        label = "%s_%d_%d" % (name, number, n)
        text += ("static int simt_slot_%s; using simt_type_%s = %s %s; simt_type_%s &%s = "
                 "simt_variable<simt_type_%s>(&simt_slot_%s, %s);" %
                 (label, label, kind, " ".join(dimensions), label, name, label, label, align))
    source.replace(begin, end, text.rstrip(";"))


def convert_launch(source, at):
    last = source.step(at, -1)
    begin = last
    if nesting(source.tokens[last]) > 0:
        begin = source.step(source.opening(last, "<", ">"), -1)
    elif source.tokens[last] == ")":
        begin = source.opening(last, "(", ")")
    while source.tokens[source.step(begin, -1)] == "::":
        begin = source.step(begin, -1)
        if re.match(r"\w", source.tokens[source.step(begin, -1)]):
            begin = source.step(begin, -1)
    end = source.find(at + 1, ">>>")
    if end == len(source.tokens) or source.tokens[source.step(end, 1)] != "(":
        source.refuse(at, "<<< without >>>(")
    kernel = " ".join(source.text(begin, at).split())
    source.replace(begin, end + 1, 'simt_configure("%s", %s, %s)' % (
        kernel.replace('"', "'"), kernel,
        " ".join(t for t in source.tokens[at + 1:end] if not is_space(t))))


def convert(text):
    source = Source(text)
    number = at = 0
    while at < len(source.tokens):
        token = source.tokens[at]
        if token == "__shared__":
            convert_shared(source, at, number)
            number += 1
            at = max(at - 8, 0)
        elif token == "<<<":
            convert_launch(source, at)
            at = max(at - 8, 0)
        at += 1
    return "".join(source.tokens)


# The system's headers use asm for their own purposes.
def refuse_ptx(text):
    source = Source(text)
    system = False
    for at, token in enumerate(source.tokens):
        if token.startswith("# "):
            system = re.match(r'# \d+ ".*"(.*)', token).group(1).split()[-1:] in (["3"], ["4"])
        if token in ("asm", "__asm__") and not system:
            source.refuse(at, "inline PTX cannot be emulated")


def compile_file(path, target, folder, options):
    common = ["g++", "-std=c++20", "-DGPUBENCH_SIMT=1", "-DGPUBENCH_SIMT_PLUGIN=1",
              "-I", TOP, "-I", folder, *options, "-x", "c++"]
    text = subprocess.run([*common, "-E", "-include", "tests/simt/simt.h", path],
                          check=True, text=True, stdout=subprocess.PIPE).stdout
    refuse_ptx(text)
    whole = os.path.join(folder, os.path.basename(path) + ".ii")
    with open(whole, "w", encoding="utf-8") as file:
        file.write(convert(text))
    subprocess.run([*common, "-fpreprocessed", "-fPIC", "-fvisibility=hidden",
                    "-Wno-unknown-pragmas", "-Wno-tsan", *CHECK, "-c", whole, "-o", target],
                   check=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split(" -- ", maxsplit=1)[0])
    parser.add_argument("--ptx", action="store_true")
    parser.add_argument("sources", nargs="+")
    parser.add_argument("-o", dest="target", required=True)
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_args(sys.argv[1:cut])
    options = sys.argv[cut + 1:]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # removes the folder, too
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder  # nvcc leaves files when it is ended
        os.mkdir(os.path.join(folder, "gpubench"))
        with open(os.path.join(folder, "gpubench/plugin.h"), "w", encoding="utf-8") as file:
            subprocess.run([os.path.join(TOP, "scripts/plugin-header.sh")], check=True, stdout=file)
        if arguments.ptx:
            nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
            subprocess.run([nvcc, *PTX, "-I", folder, *options, *arguments.sources,
                            "-o", arguments.target], check=True)
            return
        for name in STUBS:
            with open(os.path.join(folder, name), "w", encoding="utf-8"):
                pass
        objects = []
        for path in arguments.sources:
            objects.append(os.path.join(folder, "%d.o" % len(objects)))
            compile_file(path, objects[-1], folder, options)
        subprocess.run(["g++", "-shared", *objects, "-o", arguments.target], check=True)


if __name__ == "__main__":
    try:
        main()
    except (OSError, Refused) as error:
        sys.exit("simt-plugin.py: %s" % error)
    except subprocess.CalledProcessError:
        sys.exit(2)
