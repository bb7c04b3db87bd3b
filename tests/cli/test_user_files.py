"""What a user's own cipher file can do: end the process, run on, take memory, print, read, raise, be no file."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import AssayError, DescriptionError
from cipherassay.lang.files import module_name
from cipherassay.review.repeating import check_repeats
from support.command import assay

Capture = pytest.CaptureFixture[str]

FILE = '''\
"""A toy. [none]"""
from cipherassay.lang import *
{before}
c = Cipher({cipher})

@c.key_schedule  # section 1
def key_schedule(key):
    return le_words(key)

@c.encrypt  # section 2
def encrypt(K, p):
{encrypt}
    return p ^ le_bytes(K)

@c.decrypt  # section 3
def decrypt(K, p):
    return p ^ le_bytes(K)
{after}
'''
CIPHER = '"Toy", key_bits=(128,), structure="other", source="[none]"'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(
    before: str = "", encrypt: str = "", after: str = "", cipher: str = CIPHER, file: str = "f.py"
) -> Path:
    path = Path(file)
    inside = textwrap.indent(encrypt or "pass", "    ")
    path.write_text(FILE.format(before=before, encrypt=inside, after=after, cipher=cipher))
    return path


def refusal(path: str = "./f.py") -> str:
    """Return what loading and compiling a file is refused with."""
    with pytest.raises(AssayError) as refused:
        load(path).compile(128)
    return str(refused.value)


NO_END = "   = help: take the call out: a cipher's file only describes, and what is wrong in it is raised as an exception"
ALONE = "   = help: a description depends on key and block alone: give its numbers in the file itself"
OUTSIDE = {
    "open('x.txt')": "error[D098]: a cipher's file reads `x.txt`\n  --> f.py:18:1\n",
    "from pathlib import Path; Path('x.txt').read_text()": (
        "error[D098]: a cipher's file reads `x.txt`\n  --> f.py:18:27\n"
    ),
    "import os; os.listdir('/')": "error[D098]: a cipher's file reads `/`\n  --> f.py:18:12\n",
    "open('x.txt', 'w')": "error[D099]: a cipher's file writes or changes `x.txt`\n  --> f.py:18:1\n",
    "import os; os.remove('f.py')": "error[D099]: a cipher's file writes or changes `f.py`\n  --> f.py:18:12\n",
    "import os; os.makedirs('a/b')": "error[D099]: a cipher's file writes or changes `a`\n  --> f.py:18:12\n",
    "import os; os.system('ls')": "error[D100]: a cipher's file starts a program: `os.system`\n  --> f.py:18:12\n",
    "import subprocess as s; s.run('ls')": (
        "error[D100]: a cipher's file starts a program: `subprocess.Popen`\n  --> f.py:18:25\n"
    ),
    "import socket; socket.create_connection(('::1', 9))": (
        "error[D100]: a cipher's file opens a connection: `socket.getaddrinfo`\n  --> f.py:18:16\n"
    ),
}


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_a_file_does_outside_of_itself(text: str, here: Path) -> None:
    write(after=text)
    assert refusal() == f"{OUTSIDE[text]}      {text}\n{ALONE}"
    assert [path.name for path in here.iterdir()] == ["f.py"]
    write(encrypt=text)
    assert refusal().startswith(OUTSIDE[text].partition("\n")[0])


def test_what_a_file_may_do(here: Path) -> None:
    write(before="import json, random, fractions\nimport numpy", after="assert open")
    load("./f.py").compile()


LIMITED = {
    "while True: pass": (
        ("--seconds", "0.5"),
        "error[D028]: `f.py` does not come to an end within 0.5 s\n  --> f.py:18:1\n      while True: pass\n"
        "   = help: `assay --seconds N …` waits longer; a loop that waits for a condition may never end\n",
    ),
    "import time; time.sleep(1000)": (
        ("--seconds", "0.1"),
        "error[D028]: `f.py` does not come to an end within 0.1 s\n  --> f.py:18:14\n"
        "      import time; time.sleep(1000)\n"
        "   = help: `assay --seconds N …` waits longer; a loop that waits for a condition may never end\n",
    ),
    "x = bytearray(1 << 28)": (
        ("--memory", "0.1"),
        "error[D029]: f.py takes more memory than it may\n  --> f.py:18:5\n      x = bytearray(1 << 28)\n"
        "   = help: `assay --memory GB …` allows more; a table or list that grows without end never has enough\n",
    ),
}


@pytest.mark.parametrize("text", LIMITED)
@pytest.mark.parametrize("verb", [["show"], ["emit", "c"], ["kat", "generate"], ["measure"], ["synthesize"]])
def test_limits_of_every_verb(capsys: Capture, text: str, verb: list[str]) -> None:
    options, expected = LIMITED[text]
    write(after=text)
    ran = assay(capsys, *options, *verb, "./f.py")
    assert (ran.code, ran.out, ran.err) == (3, "", expected)


UNROLLED = "for i in range(300):\n    p = p + 1"


def test_a_limit_of_operations(capsys: Capture) -> None:
    write(encrypt=UNROLLED)
    ran = assay(capsys, "--operations", "1000", "show", "./f.py")
    assert (ran.code, ran.err) == (
        3,
        "error[D101]: the description makes more than 1,000 operations\n  --> f.py:13:13\n      p = p + 1\n"
        "   = help: `assay --operations N …` allows more; "
        "a loop over `rounds` stays a loop, one over `range` unrolls\n",
    )
    assert assay(capsys, "--operations", "10000", "show", "./f.py").code == 0
    assert assay(capsys, "show", "./f.py").code == 0


def test_a_limit_of_operations_of_a_check(capfd: Capture) -> None:
    write(encrypt=UNROLLED)
    ran = assay(capfd, "check", "./f.py", "--draft", "--operations", "1000")
    assert ran.code == 3
    assert "FAIL     compiles: the description makes more than 1,000 operations\n" in ran.out
    assert "= help: `assay check --operations N` allows more; " in ran.out


@pytest.mark.parametrize("option", ["--seconds", "--memory", "--operations"])
def test_no_limit(capsys: Capture, option: str) -> None:
    ran = assay(capsys, option, "0", "list")
    assert (ran.code, ran.err) == (
        2, f"error[U019]: {option} 0 is no limit\n   = help: give a number above zero\n",
    )  # fmt: skip


LOADED = {
    "sys.exit": (
        "import sys; sys.exit(0)",
        f"error[D027]: a cipher's file ends the command: `sys.exit(0)`\n  --> f.py:18:13\n      {{}}\n{NO_END}",
    ),
    "os._exit": (
        "import os; os._exit(0)",
        f"error[D027]: a cipher's file ends the command: `os._exit(0)`\n  --> f.py:18:12\n      {{}}\n{NO_END}",
    ),
    "os.abort": (
        "import os; os.abort()",
        f"error[D027]: a cipher's file ends the command: `os.abort()`\n  --> f.py:18:12\n      {{}}\n{NO_END}",
    ),
    "an exit that it catches": (
        "try:\n    exit_now = __import__('os')._exit(0)\nexcept Exception:\n    pass",
        "error[D027]: a cipher's file ends the command: `os._exit(0)`\n  --> f.py:19:16\n"
        f"      exit_now = __import__('os')._exit(0)\n{NO_END}",
    ),
    "input": (
        "input()",
        "error[D036]: a cipher's file reads standard input\n  --> f.py:18:1\n      {}\n"
        "   = help: what varies is the key and the block; give a constant in the file itself",
    ),
    "an exception of its own": (
        "class Odd(BaseException): pass\nraise Odd",
        "error[D016]: f.py raised Odd\n  --> f.py:19:1\n      raise Odd",
    ),
    "no memory": (
        "x = bytearray(1 << 60)",
        "error[D029]: f.py takes more memory than it may\n  --> f.py:18:5\n      {}\n"
        "   = help: `assay --memory GB …` allows more; a table or list that grows without end never has enough",
    ),
    "recursion": (
        "def f(n): return f(n + 1)\nf(0)",
        "error[D016]: f.py raised RecursionError: maximum recursion depth exceeded\n"
        + "  --> f.py:18:18\n      def f(n): return f(n + 1)\n"
        + 6 * "  via f.py:18:18\n      def f(n): return f(n + 1)\n"
        + "  via f.py:19:1\n      f(0)\n   = {} calls between these are left out",
    ),
    "two ciphers under one variable": (
        'c = Cipher("Other", key_bits=(128,), structure="other", source="[none]")',
        "error[D024]: f.py defines 2 ciphers: Toy, Other\n"
        '   = help: a cipher file makes one object: `name = Cipher("NAME", …)`',
    ),
}


@pytest.mark.parametrize("title", LOADED)
def test_what_a_file_does_when_it_is_loaded(title: str) -> None:
    text, expected = LOADED[title]
    write(after=text)
    found = refusal()
    left_out = next((line.split()[1] for line in found.splitlines() if "left out" in line), "")
    assert found == expected.replace("{}", left_out or text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "import sys; sys.exit(0)",
            "error[D027]: a cipher's file ends the command: `sys.exit(0)`\n  --> f.py:12:17\n",
        ),
        (
            "import os; os._exit(0)",
            "error[D027]: a cipher's file ends the command: `os._exit(0)`\n  --> f.py:12:16\n",
        ),
        ("raise BaseException('odd')", "error[D016]: encrypt raised BaseException: odd\n  --> f.py:12:5\n"),
        ("input()", "error[D036]: a cipher's file reads standard input\n  --> f.py:12:5\n"),
    ],
)
def test_what_a_function_does_when_it_is_traced(text: str, message: str) -> None:
    write(encrypt=text)
    assert refusal().startswith(message)


def test_other_verbs_fail_where_a_file_ends_the_command(capsys: Capture) -> None:
    for text in ("import sys; sys.exit(0)", "import os; os._exit(0)"):
        write(after=text)
        for verb in (["show"], ["emit", "c"], ["kat", "generate"], ["measure"], ["study", "layout"], ["synthesize"]):
            ran = assay(capsys, *verb, "./f.py")
            assert ran.code in (2, 3), verb
            assert "error[" in ran.err


def test_what_a_file_prints_goes_to_standard_error(capsys: Capture) -> None:
    write(after='print("loaded")', encrypt='print("traced")')
    ran = assay(capsys, "show", "./f.py", "--json")
    assert ran.json["title"] == "Toy"
    assert ran.err == "loaded\ntraced\ntraced\n"


def test_two_files_of_one_name(here: Path) -> None:
    for folder, number in (("a", 1), ("b", 2)):
        (here / folder).mkdir()
        write(file=f"{folder}/f.py", before=f"n = {number}", cipher=CIPHER.replace("Toy", f"Toy {number}"))
    first, second = load("a/f.py"), load("b/f.py")
    assert (first.name, second.name) == ("Toy 1", "Toy 2")
    import sys

    modules = [sys.modules[module_name(Path(f"{folder}/f.py"))] for folder in "ab"]
    assert [module.n for module in modules] == [1, 2]


def test_the_folder_that_a_file_changes_to_is_left_again(here: Path) -> None:
    write(after="import os; os.chdir('/')")
    load("./f.py").compile(128)
    assert Path.cwd() == here


NO_FILE = "\n   = help: give the path of a Python file, or the name of a cipher"


def test_what_is_no_cipher_file(here: Path) -> None:
    (here / "bin.txt").write_bytes(b"\0\1")
    (here / "bin.py").write_bytes(b"x = 1\n\xff")
    (here / "zero.py").write_bytes(b"x = 1\n\0")
    (here / "empty.py").write_bytes(b"")
    (here / "folder.py").mkdir()
    (here / "loop.py").symlink_to("loop.py")
    long = "a" * 300 + ".py"
    expected = {
        "./bin.txt": f"error[U024]: `bin.txt` is no Python file: its name does not end in `.py`{NO_FILE}",
        "./bin.py": f"error[U026]: `bin.py` is no UTF-8 text: byte 0xff\n  --> bin.py:2{NO_FILE}",
        "./zero.py": f"error[U025]: `zero.py` is no text: it has a zero byte{NO_FILE}",
        "./folder.py": f"error[U018]: `folder.py` is a folder{NO_FILE}",
        "./loop.py": f"error[U023]: no cipher file `loop.py`{NO_FILE}",
        "./none.py": f"error[U023]: no cipher file `none.py`{NO_FILE}",
        "/dev/null": f"error[U018]: `/dev/null` is no regular file{NO_FILE}",
        "./empty.py": "error[D024]: empty.py defines no cipher\n"
        '   = help: a cipher file makes one object: `name = Cipher("NAME", …)`',
        f"./{long}": f"error[U027]: the cipher file `{'a' * 60}…{'a' * 27}.py` cannot be read: File name too long{NO_FILE}",
    }
    assert {path: refusal(path) for path in expected} == expected


@pytest.mark.parametrize("verb", [["show"], ["study", "linear"], ["synthesize"], ["study", "layout"], ["check"], ["emit", "c"]])
def test_no_verb_takes_another_file_for_a_bug_of_its_own(
    capsys: Capture, here: Path, verb: list[str]
) -> None:
    (here / "bin.txt").write_bytes(b"\0\1")
    ran = assay(capsys, *verb, "./bin.txt")
    assert (ran.code, "error[" in ran.err) == (2, True)


def described(**changed: str) -> str:
    words = {"key_bits": "(128,)", "structure": '"other"', "source": '"[none]"', "name": '"Toy"', **changed}
    name = words.pop("name")
    return ", ".join([name, *(f"{key}={value}" for key, value in words.items())])


REFUSED = {
    "(128.0,)": ("key_bits", "D079", "128.0 is no size", "a size is a whole number of bits"),
    "()": (
        "key_bits",
        "D078",
        "the cipher has no key size",
        "give all sizes in bits, a single one as `key_bits=(128,)`",
    ),
    "128": (
        "key_bits",
        "D078",
        "the cipher has 128 as its key sizes",
        "give all sizes in bits, a single one as `key_bits=(128,)`",
    ),
    "(1 << 40,)": ("key_bits", "D081", "a size of 1099511627776 bits", "keys and blocks have at most 4096 bits"),
    "(64, 64)": ("key_bits", "D082", "a key size is given twice: 64, 64", ""),
    '"To\\ny"': (
        "name",
        "D084",
        "the name of the cipher, 'To\\ny', contains a character that cannot be printed",
        "generated files have it in comments and strings: leave that out",
    ),
    '"a*/b"': (
        "name",
        "D084",
        "the name of the cipher, 'a*/b', contains `*/`",
        "generated files have it in comments and strings: leave that out",
    ),
    '"\\\\u002a/"': (
        "name",
        "D084",
        "the name of the cipher, '\\\\u002a/', contains `\\`",
        "generated files have it in comments and strings: leave that out",
    ),
    '"Кузнечик"': (
        "name",
        "D085",
        "the name `Кузнечик` has no letter or digit that files and functions could be named by",
        'give one beside it: `Cipher("…", slug="my_cipher", …)`',
    ),
    '"3 way"': ("slug", "D086", "slug '3 way' is no name for files and functions", "small letters, digits and `_`"),
    "7": ("source", "D083", "7 is no source of a cipher", "give a text of one line"),
}


@pytest.mark.parametrize("value", REFUSED)
def test_what_a_cipher_cannot_say_of_itself(value: str) -> None:
    key, code, message, help = REFUSED[value]
    text = described(**{key: value})
    write(cipher=text)
    line = f"      c = Cipher({text})\n"
    expected = f"error[{code}]: {message}\n  --> f.py:4:5\n{line}" + (f"   = help: {help}" if help else "")
    assert refusal() == expected.rstrip("\n")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("3way", "cipher_3way"),
        ("SAFER+", "safer"),
        ("A -- b", "a_b"),
        ("Signal", "cipher_signal"),
        ("Café", "cafe"),
    ],
)
def test_a_name_for_files_and_functions(name: str, slug: str) -> None:
    write(cipher=described(name=repr(name)))
    assert load("./f.py").slug == slug


def test_what_is_no_function() -> None:
    write(after="c.encrypt(max)")
    assert refusal() == (
        "error[D040]: `encrypt` of a cipher is a function, not a value of type builtin_function_or_method\n"
        "  --> f.py:18:1\n      c.encrypt(max)\n"
        "   = help: write `def encrypt(…):`; a class, a method or a built-in function cannot be traced"
    )


def test_what_is_no_name_of_a_variant() -> None:
    write(after="c.encrypt(variant='../x')(encrypt)")
    assert refusal() == (
        "error[D021]: '../x' is no name of a variant\n"
        "  --> f.py:18:1\n      c.encrypt(variant='../x')(encrypt)\n"
        "   = help: letters, digits, `-`, `_`, `.` and spaces"
    )


def test_a_result_of_another_length() -> None:
    write(encrypt="return p[0:12]")
    assert refusal() == (
        "error[D026]: `encrypt` returns 12 bytes, and a block has 16\n  --> f.py:10\n"
        "   = help: return the whole block, or give the cipher its `block_bits`"
    )
    write(encrypt="return vec()")
    assert refusal() == (
        "error[D023]: `encrypt` must return the bytes of the block\n  --> f.py:10\n   = help: end it with `return …`"
    )


def test_a_function_that_takes_something_else() -> None:
    path = write()
    path.write_text(path.read_text().replace("def encrypt(K, p)", "def encrypt(K, p, tweak)"))
    assert refusal() == (
        "error[D016]: encrypt raised TypeError: encrypt() missing 1 required positional argument: 'tweak'\n"
        "  --> f.py:10"
    )


def test_random_numbers_in_a_description(capfd: Capture) -> None:
    help = "help: a description computes from key and block alone: no random numbers, no state kept from call to call"
    write(before="import random", encrypt="p = p ^ random.getrandbits(8)")
    assert refusal() == (
        "error[D039]: Toy: `encrypt` gives different results when called twice with the same arguments\n"
        f"  --> f.py:10\n   = {help}"
    )
    write(before="import random\nn = random.getrandbits(60)", encrypt="p = p ^ le_bytes(u64(n), u64(0))")
    ran = assay(capfd, "check", "./f.py", "--draft")
    assert ran.code == 3
    assert (
        "FAIL     repeats: Toy: the file gives a different program when it is loaded twice\n"
        f"           = {help}\n           --> f.py\n"
    ) in ran.out
    with pytest.raises(DescriptionError, match=r"error\[D097\]: Toy: the file gives a different program when it"):
        check_repeats(load("./f.py"))


# Each of these runs the file in a process of its own.


def limits(text: str) -> list[str]:
    """Return the options for a text: little time only where it runs without end."""
    return ["--draft", "--memory", "0.3", *(["--seconds", "2"] if text == "while True: pass" else [])]


APART = {
    "the process ends well": (
        "import ctypes; ctypes.CDLL(None)._exit(0)",
        "error[D088]: `./f.py` ended the process that checks it, with exit status 0\n"
        "   = while loading the file\n"
        "   = help: no file passes without a finished check: a cipher's file only describes\n",
    ),
    "a signal": (
        "import os; os.kill(os.getpid(), 9)",
        "error[D035]: `./f.py` was ended by the signal SIGKILL before it was checked\n"
        "   = while loading the file\n"
        "   = SIGKILL: so does the system where memory ends\n"
        "   = help: `assay check --memory GB` allows more memory\n",
    ),
    "a loop without end": (
        "while True: pass",
        "error[D028]: `./f.py` does not come to an end within 2 s\n"
        "  --> f.py:18:1\n      while True: pass\n"
        "   = while loading the file\n"
        "   = help: `assay check --seconds N` waits longer; a loop that waits for a condition may never end\n",
    ),
    "a list without end": (
        "x = []\nwhile True: x.append(bytearray(1 << 22))",
        "error[D029]: f.py takes more memory than it may\n"
        "  --> f.py:19:22\n      while True: x.append(bytearray(1 << 22))\n"
        "   = help: `assay check --memory GB` allows more; a table or list that grows without end never has enough\n",
    ),
    "an interruption of its own": (
        "raise KeyboardInterrupt",
        "error[D016]: `./f.py` raised KeyboardInterrupt\n",
    ),
    "it removes itself": (
        "import ctypes; ctypes.CDLL(None).unlink(__file__.encode())",
        "error[U028]: `f.py` cannot be read: No such file or directory\n",
    ),
}


@pytest.mark.parametrize("title", APART)
def test_only_a_finished_check_passes(capfd: Capture, title: str) -> None:
    text, expected = APART[title]
    write(after=text)
    ran = assay(capfd, "check", "./f.py", *limits(text))
    assert (ran.out, ran.err) == ("", expected)
    assert ran.code in (2, 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import ctypes; ctypes.CDLL(None)._exit(0)",
            "error[D088]: `./f.py` ended the process that checks it, with exit status 0\n",
        ),
        ("while True: pass", "FAIL     compiles: `./f.py` does not come to an end within 2 s\n"),
        ("import sys; sys.exit(0)", "FAIL     compiles: a cipher's file ends the command: `sys.exit(0)`\n"),
    ],
)
def test_the_same_inside_a_function(capfd: Capture, text: str, said: str) -> None:
    write(encrypt=text)
    ran = assay(capfd, "check", "./f.py", *limits(text))
    assert said in ran.out + ran.err
    assert ran.code == 3


def test_what_a_checked_file_prints_and_starts(capfd: Capture) -> None:
    write(after="print('printed')\nimport os, threading, time\nos.write(1, b'echoed\\n')\n"
          "threading.Thread(target=time.sleep, args=(1000,)).start()")  # fmt: skip
    ran = assay(capfd, "check", "./f.py", "--draft", "--json")
    assert ran.code == 0
    assert ran.json["ok"] is True
    assert set(ran.err.split()) == {"printed", "echoed"}


def test_limits_that_are_none(capsys: Capture) -> None:
    write()
    for option in ("--seconds", "--memory"):
        ran = assay(capsys, "check", "./f.py", f"{option}=0")
        assert ran.err == f"error[U019]: {option} 0 is no limit\n   = help: give a number above zero\n"
        assert ran.code == 2


def test_a_table_that_is_no_permutation(capfd: Capture) -> None:
    write(before="S = table(u8, [x ^ (x == 7) for x in range(256)])", encrypt="p = S[p]")
    ran = assay(capfd, "check", "./f.py", "--draft")
    assert "note     tables: `S` is no permutation: it gives 0x6 for 0x6 and for 0x7\n" in ran.out


@pytest.mark.parametrize(
    "words",
    [
        ("emit", "c", "./f.py"), ("emit", "java", "./f.py"), ("emit", "rtl", "./f.py"), ("measure", "./f.py"),
        ("emit", "asm", "./f.py", "-p", "avr"), ("measure", "./f.py", "-p", "avr"), ("simulate", "--rtl", "./f.py"),
        ("measure", "./f.py", "--operation", "encrypt", "-p", "pa8500"), ("simulate", "./f.py", "encrypt", "-p", "pa8500"), ("synthesize", "./f.py"),
        ("coverage", "./f.py", "--quick"),
    ],
)  # fmt: skip
def test_nothing_is_made_of_a_cipher_whose_known_answers_are_others(
    capsys: Capture, here: Path, words: tuple[str, ...]
) -> None:
    write()
    zero = "00" * 16
    Path("f.kat.txt").write_text(f"T=KAT SET=paper KS=128 I=1 KEY={zero} PT={zero} CT={zero[:-1]}1\n")
    ran = assay(capsys, *words)
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.startswith(
        "error[K020]: Toy gives another answer than the file: paper 128-bit key I=1\n  --> f.kat.txt:1\n"
        f"   = computed by evaluator: encrypt\n   = expected CT={zero[:-1]}1\n   = found    CT={zero}\n"
    )
    assert sorted(path.name for path in here.iterdir()) == ["f.kat.txt", "f.py"]
