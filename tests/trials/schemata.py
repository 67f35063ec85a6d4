"""schemata.py -- rewrites C files so that one build contains all their mutants.

An expression E becomes (M(n) ? (mutant of E) : (E)), and a statement S becomes
{ if (!M(n)) S }, where M(n) is true if n is the active mutant (mutant.h).  A comparison a < b whose
operands only read becomes (a == b && M(n) ? (a <= b) : (a < b)): tests that see no equal operands
do not reach the mutant and need not run.  Each mutant stands on lines of its own, so the lines of a
compiler's errors tell which mutants are no C; these are left out, as are those in branches that the
preprocessor removes.  Only the bodies of functions are rewritten, and neither declarators nor
constant expressions.

The parser knows statements, brackets and the precedence of operators.  It reads declarations by
their first words, and takes a call followed by a statement for the head of a loop (a macro).
"""

import re
import subprocess

TOKEN = re.compile(
    r"""(?P<space>\s+|/\*.*?\*/|//[^\n]*)
    |(?P<directive>(?<![^\n])[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<string>"(?:\\.|[^"\\])*")|(?P<character>'(?:\\.|[^'\\])*')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)|(?P<word>[A-Za-z_]\w*)
    |(?P<sign>->|\+\+|--|<<=|>>=|\.\.\.|[-+*/%&|^]=|<<|>>|<=|>=|==|!=|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
LEVELS = [
    ["*", "/", "%"], ["+", "-"], ["<<", ">>"], ["<", "<=", ">", ">="], ["==", "!="], ["&"], ["^"],
    ["|"], ["&&"], ["||"], ["?", ":"],
    ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="], [",", ";"],
]
LEVEL = {sign: number for number, signs in enumerate(LEVELS) for sign in signs}
CLOSING = {"(": ")", "[": "]", "{": "}"}
# operator -> mutant
SWAPPED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    "^": "|", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=",
}
ORDERS = {"<", "<=", ">", ">="}
READING = {"+", "-", "*", "/", "%", "[", "]", "(", ")", ".", "->"}
TYPES = set(
    "auto bool char const double enum extern float int long register short signed static struct "
    "union unsigned void volatile FILE DIR cJSON va_list".split()
)
KEYWORDS = TYPES | set("return case sizeof else do goto".split())
NOTHING = {"0", "NULL", "false", "GB_OK", "0.0", "NAN"}
# Calls in which a larger constant only wastes memory.
ALLOCATING = {"malloc", "calloc", "realloc", "reallocarray"}
# Calls without which a program only wastes memory, or warnings come; release() is a file's own.
HARMLESS = re.compile(
    r"(\{ )?(\(void\)\w+;|(\(void\))?(free|va_end|cJSON_Delete|release)\b)")
# The statement after a condition that is true if memory ran out.
NO_MEMORY = re.compile(r"(\{ ?)?(return |\(void\))?(gb_out_of_memory|no_memory)\(")


class Site:
    """A mutant: tokens first..last of a file are replaced by `text`, or removed if it is None.  It
    differs from the original if the expression `differs` is true, or always if that is ""."""

    def __init__(self, operator, first, last, text, line, differs):
        self.operator, self.first, self.last, self.text = operator, first, last, text
        self.line, self.differs = line, differs
        self.number = None


class Source:
    """The tokens of a C file and its possible mutants."""

    def __init__(self, text):
        self.kind, self.token, self.gap = [], [], []
        gap = ""
        for match in TOKEN.finditer(text):
            if match.lastgroup == "space":
                gap += match[0]
                continue
            self.kind.append(match.lastgroup)
            self.token.append(match[0])
            self.gap.append(gap)
            gap = ""
        self.end = gap
        self.match_brackets()
        self.allocated = {k for i, end in self.partner.items() if self.token[i] == "("
                          and self.token[i - 1] in ALLOCATING for k in range(i, end)
                          if not {"-", "/"} & set(self.token[i:end])}
        self.sites, self.statements = [], []
        self.lines = text.splitlines()
        self.line, number = [], 0
        for before, token in zip(self.gap, self.token):
            number += before.count("\n")
            self.line.append(number)
            number += token.count("\n")
        self.find_functions()

    def match_brackets(self):
        self.partner, stack = {}, []
        for i, token in enumerate(self.token):
            if token in CLOSING:
                stack.append(i)
            elif token in CLOSING.values() and stack:
                opened = stack.pop()
                self.partner[opened], self.partner[i] = i, opened

    def text_of(self, first, last, changed=None):
        """The text of tokens first..last, some of which are replaced: {token: text}."""
        changed = changed or {}
        parts = []
        for i in range(first, last + 1):
            parts.append(" " if i > first and self.gap[i] else "")
            parts.append(changed.get(i, self.token[i]))
        return "".join(parts)

    def add(self, operator, first, last, text, differs=""):
        line = self.lines[self.line[first]].strip()
        self.sites.append(Site(operator, first, last, text, line, differs))

    def find_functions(self):
        i = 0
        while i < len(self.token):
            if self.token[i] == "{":
                if self.gap[i].endswith("\n"):  # the brace of a function is in column 0
                    self.discarded = self.is_discarded(i)
                    self.block(i)
                i = self.partner[i]
            i += 1

    def is_discarded(self, brace):
        """True if no caller uses the value of the static function before the brace."""
        at = self.partner.get(brace - 1, 1) - 1
        head = at
        while head > 0 and self.token[head - 1] not in ("}", ";") and \
                self.kind[head - 1] != "directive":
            head -= 1
        uses = [k for k, token in enumerate(self.token) if token == self.token[at] and k != at]
        return self.token[head] == "static" and all(
            self.token[k - 3 : k] == ["(", "void", ")"] for k in uses)

    def block(self, opening):
        i = opening + 1
        while i < self.partner[opening]:
            i = self.statement(i)
        return i + 1

    def semicolon(self, i):
        while self.token[i] != ";":
            i = self.partner[i] + 1 if self.token[i] in CLOSING else i + 1
        return i

    def statement(self, i):
        """Find the mutants of the statement at token i.  Return the token behind it."""
        token, pragma = self.token[i], ""
        while self.kind[i] == "directive":
            pragma = self.token[i]
            i += 1
            token = self.token[i]
        if token == "{":
            return self.block(i)
        if token in ("}", ";"):
            return i + (token == ";")
        if token in ("case", "default"):
            while self.token[i] != ":":
                i += 1
            return i + 1
        if self.kind[i] == "word" and self.token[i + 1] == ":":
            return i + 2
        if token == "else":
            return self.statement(i + 1)
        if token == "do":
            return self.statement(i + 1)
        if token in ("if", "while", "switch", "for"):
            return self.head(i, parallel="omp" in pragma)
        opening = i + 1
        if self.kind[i] == "word" and token not in KEYWORDS and \
                self.token[opening] == "(":
            after = self.partner[opening] + 1
            if self.token[after] in ("{", "(", "*") or self.kind[after] == "word":
                self.expression(opening + 1, after - 2)
                return self.statement(after)
        end = self.semicolon(i)
        if "omp" not in pragma:
            self.simple(i, end)
        return end + 1

    def head(self, i, parallel):
        """if, while, switch or for."""
        opening, closing = i + 1, self.partner[i + 1]
        then = self.text_of(closing + 1, min(closing + 5, len(self.token) - 1))
        is_range = ";" not in self.token[opening:closing]
        if self.token[i] == "for" and not parallel and not is_range:
            second = self.semicolon(opening + 1)
            third = self.semicolon(second + 1)
            if not HARMLESS.match(then):
                self.simple(opening + 1, second, deletable=False)
            self.expression(second + 1, third - 1)
            self.expression(third + 1, closing - 1)
        elif self.token[i] != "for":
            before = len(self.sites)
            self.expression(opening + 1, closing - 1)
            if NO_MEMORY.match(then):
                self.sites[before:] = [
                    s for s in self.sites[before:] if s.operator != "|| is &&"]
            if self.token[i] != "switch":
                self.turn(opening + 1, closing - 1)
        self.statements.append((i, closing))
        return self.statement(closing + 1)

    def is_declaration(self, i):
        words = self.token
        if words[i] in TYPES or words[i].endswith("_t"):
            return True
        if self.kind[i] != "word" or words[i] in ("return", "goto", "break", "continue"):
            return False
        while words[i + 1] == "*":
            i += 1
        return self.kind[i + 1] == "word"

    def simple(self, i, end, deletable=True):
        """A declaration, jump or expression that ends with the semicolon at token end."""
        token = self.token
        self.statements.append((i, end))
        if any(self.kind[k] == "directive" for k in range(i, end)):
            return
        if token[i] == "static":
            return
        if self.is_declaration(i):
            commas = [k for k in self.outer(i, end - 1) if token[k] == ","] + [end]
            for declarator, comma in zip([i] + commas, commas):
                for k in self.outer(declarator, comma - 1):
                    if token[k] == "=":
                        self.expression(k + 1, comma - 1)
            return
        if token[i] in ("break", "continue", "goto") or end == i + 1 and token[i] == "return":
            if not self.ends_switch(i):
                self.add("jump gone", i, end, None)
        elif token[i] == "return":
            self.expression(i + 1, end - 1)
            if self.discarded and "(" not in token[i:end]:
                pass
            elif end > i + 2 or token[i + 1] not in NOTHING | {"true", "1"}:
                self.add("returns nothing", i + 1, end - 1, "0")
        else:
            self.expression(i, end - 1)
            if deletable and not HARMLESS.match(self.text_of(i, end)):
                self.add("statement gone", i, end, None)

    def ends_switch(self, i):
        """True if token i is a break before a switch's end, or before its `default: break;`."""
        if self.token[i : i + 3] == ["break", ";", "}"]:
            head = self.partner[i + 2] - 1
            return self.token[head] == ")" and self.token[self.partner[head] - 1] == "switch"
        last = "break ; default : break ; }".split()
        return self.token[i : i + 7] == last or \
            self.token[i - 1 : i + 3] == [":"] + last[:2] + ["}"]

    def is_binary(self, i):
        """True if the sign at token i has a left operand."""
        before, after = self.token[i - 1], self.token[i + 1]
        if after in (")", "]", "}", ",", ";") or before in KEYWORDS or after in TYPES:
            return False
        return before in (")", "]") or self.kind[i - 1] in ("word", "number", "string", "character")

    def is_sign(self, i):
        """True if token i separates operands."""
        return self.token[i] in LEVEL and (
            self.token[i] not in "*+-&" or self.is_binary(i))

    def region(self, i, first, last, level=None):
        """First and last token of the operator at token i and its operands, within first..last."""
        level = LEVEL[self.token[i]] if level is None else level

        def ends(k):
            return self.is_sign(k) and LEVEL[self.token[k]] > level

        low, high = i, i
        while low > first and self.token[low - 1] not in CLOSING and not ends(low - 1):
            low = self.partner.get(low - 1, low - 1)
        while high < last and self.token[high + 1] not in CLOSING.values() and not ends(high + 1):
            high = self.partner.get(high + 1, high + 1)
        return low, high

    def turn(self, first, last):
        """A condition, unless one of its operators is turned instead."""
        if first > last:
            return
        if self.token[first] == "!" and not any(
                self.is_sign(k) for k in self.outer(first + 1, last)):
            return
        for k in self.outer(first, last):
            if self.token[k] in ("==", "!=") and self.region(k, first, last) == (first, last):
                return
        self.add("condition turned", first, last, "!(%s)" % self.text_of(first, last))

    def outer(self, first, last):
        """The tokens of first..last that are in no bracket within."""
        k = first
        while k <= last:
            yield k
            k = self.partner[k] + 1 if self.token[k] in CLOSING else k + 1

    def expression(self, first, last):
        """Find the mutants of tokens first..last."""
        i = first
        while i <= last:
            token = self.token[i]
            if token == "sizeof":  # its operand is not evaluated
                i = self.operand_end(i + 1)
            elif self.kind[i] == "number" and i not in self.allocated:
                if not self.is_bisection(i):
                    self.constant(i)
            elif token in ("true", "false"):
                self.add("truth turned", i, i, "false" if token == "true" else "true")
            elif token == "!":
                end = self.operand_end(i + 1)
                self.add("not gone", i, end, "!!%s" % self.text_of(i + 1, end))
            elif token == "?":
                self.turn(self.region(i, first, last, LEVEL["||"])[0], i - 1)
            elif token in SWAPPED and self.is_sign(i):
                low, high = self.region(i, first, last)
                if self.is_choice(low, i, high):
                    i += 1
                    continue
                to = SWAPPED[token]
                self.add("%s is %s" % (token, to), low, high, self.text_of(low, high, {i: to}),
                         self.equality(low, i, high))
            i += 1

    def equality(self, low, i, high):
        """When a comparison differs from its mutant; "" if its operands may do more than read."""
        k = range(low, high + 1)
        reads = all(self.token[n] in READING or self.kind[n] in ("number", "character") or
                    self.kind[n] == "word" and self.token[n + 1] != "(" for n in k if n != i)
        if self.token[i] not in ORDERS or not reads:
            return ""
        return "(%s) == (%s) && " % (self.text_of(low, i - 1), self.text_of(i + 1, high))

    def is_choice(self, low, i, high):
        """True for the comparison in `a < b ? a : b`, which may as well be <=."""
        def text(first, last):
            return re.sub(r"\([a-z_0-9]+\)(?=\w)", "", self.text_of(first, last))  # no casts

        a, b = text(low, i - 1), text(i + 1, high)
        end = min(high + 2 * (high - low) + 9, len(self.token) - 1)
        either = "|".join(re.escape("? %s : %s" % sides) for sides in ((a, b), (b, a)))
        return self.token[i] in ORDERS and bool(
            re.match(r"(%s)\s?[;),]" % either, text(high + 1, end)))

    def is_bisection(self, i):
        """True for the 2 of `low + (high - low) / 2`: any place between the two will do."""
        opened = self.partner.get(i - 2, 2) if self.token[i - 1] == "/" else 2
        return self.token[opened - 1] == "+" and self.token[i] == "2" and \
            self.token[opened + 2 : i - 2] == ["-", self.token[opened - 2]]

    def operand_end(self, i):
        """The last token of the operand of a unary operator, which begins at token i."""
        while self.token[i] in ("!", "~", "-", "+", "*", "&"):
            i += 1
        i = self.partner.get(i, i)
        while self.token[i + 1] in ("(", "[", ".", "->"):
            i = self.partner.get(i + 1, i + 2)
        return i

    def constant(self, i):
        token = self.token[i]
        if self.token[i - 1] == "{" and self.token[i + 1] == "}":
            return
        if not re.search(r"^0[xX]", token) and re.search(r"[.eE]", token):
            zero = float(token.rstrip("fFlL")) == 0
            self.add("constant twice", i, i, "%s %s" % (token, "+ 1" if zero else "* 2"))
        else:
            self.add("constant off by one", i, i, token + " + 1")

    def describe(self, site):
        """The changed part before and after."""
        return "%s -> %s" % (self.text_of(site.first, site.last)[:70], (site.text or "")[:70])

    def changed(self, site):
        """The file with one mutant in place of the original."""
        parts = []
        for i, (gap, token) in enumerate(zip(self.gap, self.token)):
            parts.append(gap)
            if not site.first <= i <= site.last:
                parts.append(token)
            elif i == site.first:
                parts.append(";" if site.text is None else "(%s)" % site.text)
        return "".join(parts) + self.end

    def write(self, first_number):
        """The rewritten file, {line: site}, and the line of each token."""
        for number, site in enumerate(self.sites, first_number):
            site.number = number
        before, after = {}, {}
        for site in sorted(self.sites, key=lambda s: s.first - s.last):
            head, tail = before.setdefault(site.first, []), after.setdefault(site.last, [])
            if site.text is None:
                head.append((site, "{\nif (!M(%d))\n" % site.number))
                tail.insert(0, " }")
            else:
                head.append((site, "(\n%sM(%d) ? (%s)\n: (" % (
                    site.differs, site.number, site.text)))
                tail.insert(0, "))")
        parts, line, by_line, token_line = [], 1, {}, []
        for i, token in enumerate(self.token):
            parts.append(self.gap[i])
            line += self.gap[i].count("\n")
            for site, text in before.get(i, []):
                by_line[line + 1] = site
                parts.append(text)
                line += text.count("\n")
            token_line.append(line)
            parts.append(token)
            line += token.count("\n")
            parts += after.get(i, [])
        return "".join(parts) + self.end, by_line, token_line


def errors_of(path, command):
    """The lines of errors in a file, with those of the macros' uses."""
    done = subprocess.run(command + ["-w", "-fmax-errors=0", "-fsyntax-only", path],
                          capture_output=True, text=True)
    found = set()
    for match in re.finditer(r"^(.+?):(\d+):\d+: (error|note: in expansion)", done.stderr, re.M):
        if match[1] == path:
            found.add(int(match[2]))
    return done.returncode, found, done.stderr


def rewrite(text, header, path, command):
    """The Source of a file, without the mutants that are no C or are not compiled.  Writes to path
    meanwhile."""
    source = Source(text)
    for _ in range(8):
        body, by_line, token_line = source.write(0)
        with open(path, "w") as file:
            file.write(header + "#line 1\n" + body)
        status, lines, messages = errors_of(path, command)
        if not status:
            done = subprocess.run(command + ["-E", path], capture_output=True, text=True)
            compiled = set(map(int, re.findall(r"gb_reached\[(\d+)\]", done.stdout)))
            source.sites = [s for s in source.sites if s.number in compiled]
            return source
        bad = {id(by_line[n]) for n in lines if n in by_line}
        if not bad:
            # An error in a line without a mutant: leave its statement as it was.
            for first, last in source.statements:
                if any(token_line[first] <= n <= token_line[last] for n in lines):
                    bad |= {id(s) for s in source.sites if first <= s.first <= last}
        if not bad:
            raise ValueError("%s: %s" % (path, messages[:2000]))
        source.sites = [s for s in source.sites if id(s) not in bad]
    raise ValueError("%s has errors after eight attempts" % path)
