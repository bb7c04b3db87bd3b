"""H8/300: the simulator against binutils and against the manual's definitions, code of ciphers in it."""

from __future__ import annotations

import dataclasses
import random
import subprocess
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.ciphers import load
from cipherassay.embedded import target
from cipherassay.embedded.processors.h8_300.encodings import Encoding, encodings
from cipherassay.embedded.processors.h8_300.machine import Machine
from cipherassay.embedded.processors.h8_300.simulate import Simulator
from cipherassay.embedded.processors.h8_300.text import H8
from cipherassay.errors import DescriptionError, ToolError, VerificationError
from cipherassay.results.published import published_rows
from support.command import assay

CIPHERS = ("e2", "mars", "rc6", "rijndael", pytest.param("serpent", marks=pytest.mark.slow), "twofish")
assembled = pytest.mark.skipif(
    not tools.find("h8300-hms-as").place,
    reason="binutils assembles this: apt-get install binutils-h8300-hms",
)
AT = 0x100


def _half(n: int) -> str:
    return f"r{n & 7}{'l' if n > 7 else 'h'}"


def _text(one: Encoding, f: dict[str, int]) -> str:
    """Return an instruction of an encoding as binutils writes it."""
    name = one.name.replace("load", "mov").replace("store", "mov")
    if one.name[:4] in ("load", "stor"):
        register = (
            f"r{f['R' if 'R' in f else 'S']}" if one.name.endswith("w") else _half(f.get("r", f.get("s", 0)))
        )
        pointer = f"r{f.get('p', 0)}"
        place = {
            "indirect": f"@{pointer}",
            "displaced": f"@({f.get('t', 0)}:16,{pointer})",
            "increment": f"@{pointer}+",
            "decrement": f"@-{pointer}",
            "absolute8": f"@{0xFF00 | f.get('t', 0):#x}:8",
            "absolute16": f"@{f.get('t', 0):#x}:16",
        }[one.mode]
        return f"{name} {place},{register}" if one.name.startswith("load") else f"{name} {register},{place}"
    if "t" in f:
        if one.name in ("jmp", "jsr"):
            return f"{name} @{f['t']:#x}"
        return f"{name} .+{2 + (f['t'] - 256 if f['t'] > 127 else f['t'])}"
    if "u" in f:
        return f"{name} #{2 if f['u'] else 1},r{f['R']}"
    operands = []
    if "i" in f:
        operands.append(f"#{f['i']}")
    if "k" in f:
        operands.append(f"#{f['k']}")
    operands += [_half(f["s"])] if "s" in f else [f"r{f['S']}"] if "S" in f else []
    operands += [_half(f["r"])] if "r" in f else [f"r{f['R']}"] if "R" in f else []
    return f"{name} {','.join(operands)}".strip()


def _fields(one: Encoding, numbers: random.Random) -> dict[str, int]:
    found = {}
    for letter in dict.fromkeys(one.code):
        if letter in "0123456789abcdef":
            continue
        size = one.code.count(letter)
        found[letter.replace("P", "p")] = numbers.randrange(8 if letter in "pPSRk" else 16**size)
    if "u" in found:
        found["u"] = numbers.choice((0, 8))
    if one.name in ("bra", "beq", "bne") or one.name[0] == "b" and "t" in found:
        found["t"] &= 0xFE
    if one.name in ("jmp", "jsr"):
        found["t"] &= 0x7FFE  # binutils extends the sign of higher ones into a byte that the CPU ignores
    if one.mode == "increment":
        found["R" if "R" in found else "r"] = (found["p"] + 1) & 7
    return found


def _assembled(lines: list[str], folder: Path) -> bytes:
    source, made, image = folder / "x.s", folder / "x.o", folder / "x.bin"
    source.write_text(
        "\t.section .text\n" + "\n".join(f"\t{line}" for line in lines) + "\n", encoding="utf-8"
    )
    subprocess.run(["h8300-hms-as", "-o", made, source], check=True, capture_output=True)
    subprocess.run(["h8300-hms-ld", "-Ttext=0x100", "-e", "0x100", "-o", folder / "x.out", made], check=True)
    subprocess.run(["h8300-hms-objcopy", "-O", "binary", "-j", ".text", folder / "x.out", image], check=True)
    return image.read_bytes()


@assembled
def test_encodings_are_those_of_binutils(tmp_path: Path) -> None:
    numbers = random.Random(300)
    wanted = [(one, _fields(one, numbers)) for one in encodings() for _ in range(6)]
    image = _assembled([_text(one, fields) for one, fields in wanted], tmp_path)
    at = 0
    for one, fields in wanted:
        nibbles = image[at : at + 4].hex()
        found = [(e.name, e.mode, e.fields(nibbles)) for e in encodings() if e.fields(nibbles) is not None]
        assert len(found) == 1, (_text(one, fields), nibbles, found)
        name, mode, got = found[0]
        assert (name, mode) == (one.name, one.mode), _text(one, fields)
        assert got is not None
        assert {k: v for k, v in got.items() if k != "P"} == fields, _text(one, fields)
        at += one.length
    assert at == len(image)


STATES = {
    "mov.b r0h,r1l": 2, "mov.b #5,r1l": 2, "mov.b @r1,r2h": 4, "mov.b @(5:16,r1),r2h": 6, "mov.b @r1+,r2h": 6,
    "mov.b @x:8,r2h": 4, "mov.b @x:16,r2h": 6, "mov.b r2h,@r1": 4, "mov.b r2h,@x:8": 4, "mov.b r2h,@x:16": 6,
    "mov.b r2h,@-r1": 6, "mov.w r1,r2": 2, "mov.w #5,r2": 4, "mov.w @r1,r2": 4, "mov.w @x:16,r2": 6,
    "mov.w r2,@(x:16,r5)": 6, "push r4": 6, "pop r4": 6, "add.b r0h,r1h": 2, "add.w r0,r1": 2,
    "addx #3,r0h": 2, "mulxu.b r0h,r1": 14, "bne .L1": 4, "jmp @x": 6, "rts": 8, "adds #2,r5": 2,
    "rotxl.b r0h": 2, "bld #7,r0h": 2, "subx r0h,r0h": 2,
}  # fmt: skip


@pytest.mark.parametrize("line", STATES)
def test_states_are_those_of_the_manual(line: str) -> None:
    assert H8.cost(line)[0] == STATES[line]


def _run(lines: list[str], folder: Path, halves: dict[str, int], flags: str = "") -> Simulator:
    m = Simulator(_assembled([*lines, "rts"], folder), AT, 0xFF00)
    for name, value in halves.items():
        m.half[int(name[1]) + (8 if name[2] == "l" else 0)] = value
    m.carry, m.zero = int("c" in flags), int("z" in flags)
    m.call(AT)
    return m


# Instruction, r0l before, r1l before, flags before (c, z), r1l after, flags after: by the manual's definitions.
CASES = [
    ("add.b r0l,r1l", 0x7F, 0x01, "", 0x80, "nv"),
    ("add.b r0l,r1l", 0xFF, 0x01, "", 0x00, "zc"),
    ("add.b r0l,r1l", 0x80, 0x80, "c", 0x00, "zvc"),
    ("addx r0l,r1l", 0xFF, 0x00, "cz", 0x00, "zc"),
    ("addx r0l,r1l", 0xFF, 0x00, "c", 0x00, "c"),
    ("addx r0l,r1l", 0x10, 0x20, "cz", 0x31, ""),
    ("sub.b r0l,r1l", 0x01, 0x00, "", 0xFF, "nc"),
    ("sub.b r0l,r1l", 0x01, 0x80, "", 0x7F, "v"),
    ("sub.b r0l,r1l", 0x44, 0x44, "", 0x00, "z"),
    ("subx r0l,r1l", 0x00, 0x00, "cz", 0xFF, "nc"),
    ("subx r0l,r1l", 0x43, 0x44, "cz", 0x00, "z"),
    ("subx r1l,r1l", 0x00, 0x55, "c", 0xFF, "nc"),
    ("cmp.b r0l,r1l", 0x10, 0x0F, "", 0x0F, "nc"),
    ("neg.b r1l", 0, 0x01, "", 0xFF, "nc"),
    ("neg.b r1l", 0, 0x00, "", 0x00, "z"),
    ("inc.b r1l", 0, 0x7F, "c", 0x80, "nvc"),
    ("dec.b r1l", 0, 0x01, "c", 0x00, "zc"),
    ("dec.b r1l", 0, 0x80, "", 0x7F, "v"),
    ("and.b r0l,r1l", 0x0F, 0xF0, "c", 0x00, "zc"),
    ("or.b r0l,r1l", 0x0F, 0xF0, "", 0xFF, "n"),
    ("xor.b r0l,r1l", 0xFF, 0x0F, "c", 0xF0, "nc"),
    ("not.b r1l", 0, 0x0F, "c", 0xF0, "nc"),
    ("mov.b r0l,r1l", 0x80, 0x01, "cz", 0x80, "nc"),
    ("shll.b r1l", 0, 0xC1, "", 0x82, "nc"),
    ("shal.b r1l", 0, 0x41, "", 0x82, "nv"),
    ("shlr.b r1l", 0, 0x81, "", 0x40, "c"),
    ("shar.b r1l", 0, 0x81, "", 0xC0, "nc"),
    ("rotl.b r1l", 0, 0x81, "", 0x03, "c"),
    ("rotr.b r1l", 0, 0x01, "", 0x80, "nc"),
    ("rotxl.b r1l", 0, 0x80, "c", 0x01, "c"),
    ("rotxl.b r1l", 0, 0x80, "", 0x00, "zc"),
    ("rotxr.b r1l", 0, 0x01, "c", 0x80, "nc"),
    ("bld #7,r1l", 0, 0x80, "z", 0x80, "zc"),
    ("bst #0,r1l", 0, 0x80, "c", 0x81, "c"),
    ("btst #3,r1l", 0, 0x08, "zc", 0x08, "c"),
    ("btst #2,r1l", 0, 0x08, "c", 0x08, "zc"),
    ("bset #6,r1l", 0, 0x08, "", 0x48, ""),
    ("bclr #3,r1l", 0, 0x09, "", 0x01, ""),
    ("bnot #0,r1l", 0, 0x09, "", 0x08, ""),
]


@assembled
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]} {c[1]:02x} {c[2]:02x} {c[3]}")
def test_results_and_flags(case: tuple[str, int, int, str, int, str], tmp_path: Path) -> None:
    line, r0l, r1l, before, after, flags = case
    m = _run([line], tmp_path, {"r0l": r0l, "r1l": r1l}, before)
    assert m.half[9] == after
    found = {"n": m.negative, "z": m.zero, "v": m.overflow, "c": m.carry}
    assert "".join(name for name, value in found.items() if value) == flags


@assembled
def test_words_memory_and_the_stack(tmp_path: Path) -> None:
    lines = ["mov.w #0x1234,r1", "mov.w r1,@0xfe00:16", "mov.b @0xfe01:16,r0l", "mov.w #0xfe00,r3"]
    lines += [
        "mov.b @r3+,r0h",
        "mov.b #9,r2l",
        "mulxu.b r0h,r2",
        "push r2",
        "pop r4",
        "adds #2,r3",
        "subs #1,r3",
    ]
    lines += [
        "mov.w r1,r6",
        "divxu.b r0l,r6",
        "add.w r1,r4",
        "mov.b r0l,@0xff7f:8",
        "mov.b r0l,@-r3",
        "mov.w @0xfe00:16,r5",
    ]
    m = _run(lines, tmp_path, {})
    assert (m.half[8], m.half[0]) == (0x34, 0x12)
    assert m.word(2) == 9 * 0x12
    assert m.word(4) == 9 * 0x12 + 0x1234
    assert (m.word(3), m.memory[0xFF7F], m.memory[0xFE01], m.word(5)) == (0xFE01, 0x34, 0x34, 0x1234)
    assert m.word(6) == 0x1234 % 0x34 << 8 | 0x1234 // 0x34
    assert m.word(7) == 0xFF00
    assert m.lowest == 0xFEFC


@assembled
@pytest.mark.parametrize(
    ("branch", "flags", "taken"),
    [
        ("bra", "", True), ("beq", "z", True), ("beq", "", False), ("bne", "z", False), ("bne", "", True),
        ("bcc", "", True), ("bcc", "c", False), ("bcs", "c", True), ("bhi", "c", False), ("bhi", "", True),
        ("bls", "z", True), ("bls", "", False), ("bpl", "", True), ("bmi", "", False), ("bvc", "", True),
        ("bvs", "", False), ("bge", "", True), ("blt", "", False), ("bgt", "z", False), ("bgt", "", True),
        ("ble", "z", True), ("ble", "", False),
    ],
)  # fmt: skip
def test_branches(branch: str, flags: str, taken: bool, tmp_path: Path) -> None:
    m = _run([f"{branch} .+4", "bset #0,r1l"], tmp_path, {}, flags)
    assert m.half[9] == (0 if taken else 1)


@assembled
def test_call_and_jump_count(tmp_path: Path) -> None:
    # At 100: jsr @106; rts. At 106: nop; jmp @10e. At 10c: bset (skipped). At 10e: rts.
    lines = ["jsr @0x106", "rts", "nop", "jmp @0x10e", "bset #0,r1l", "rts"]
    m = Simulator(_assembled(lines, tmp_path), AT, 0xFF00)
    states, reached = m.call(AT)
    assert states == 8 + 2 + 6 + 8 + 8
    assert reached == {0x100: 0, 0x106: 8, 0x108: 10, 0x10E: 16, 0x104: 24}
    assert m.half[9] == 0


COMPILED = """\
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned {long} u32;
u8 data[32], out[64];
static const u8 table[16] = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}};
static u16 crc(const u8 *p, u16 n) {{
    u16 c = 0xffff;
    while (n--) {{ u8 k; c ^= *p++; for (k = 0; k < 8; k++) c = c & 1 ? (c >> 1) ^ 0x8408 : c >> 1; }}
    return c;
}}
static u32 product(u32 a, u32 b) {{
    u32 s = 0;
    u8 k;
    for (k = 0; k < 32; k++) {{ if (b & 1) s += a; a <<= 1; b >>= 1; }}
    return s;
}}
static u32 mixed(u32 a, u32 b) {{
    a += b; a ^= a << 5; b -= a >> 3; b = (b << 13) | (b >> 19);
    return product(a, b) + (a & ~b);
}}
void f(void) {{
    u16 i;
    u32 a = 0x12345678UL, b = 0x9abcdef0UL;
    for (i = 0; i < 16; i++) {{
        a = mixed(a, b ^ data[i]);
        b += table[a & 15] * data[15 - i];
        out[i] = (u8)(a >> 24);
        out[16 + i] = (u8)b;
    }}
    i = crc(data, 32);
    out[32] = i >> 8;
    out[33] = (u8)i;
    for (i = 0; i < 24; i++) {{
        short x = (short)(data[i] << 8 | data[i + 1]), y = (short)(data[i + 2] << 8 | data[i + 3]);
        out[34 + i] = (x < y) + 2 * (x >> 3 & 1) + 4 * (x > 77) + 8 * (x <= y) + 16 * (data[i] < data[i + 1]);
    }}
}}
"""
HOST = """
#include <stdio.h>
int main(void) {
    int i;
    for (i = 0; i < 32; i++) data[i] = (u8)getchar();
    f();
    for (i = 0; i < 64; i++) putchar(out[i]);
    return 0;
}
"""


@assembled
@pytest.mark.skipif(
    not all(tools.find(name).place for name in ("h8300-hms-gcc", "cc")),
    reason="compilers for both are needed: apt-get install gcc-h8300-hms",
)
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-Os"])
def test_compiled_c_computes_what_it_computes_here(level: str, tmp_path: Path) -> None:
    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout

    (tmp_path / "t.c").write_text(COMPILED.format(long="long"), encoding="utf-8")
    (tmp_path / "h.c").write_text(COMPILED.format(long="int") + HOST, encoding="utf-8")
    sections = ".text 0x100 : { *(.text) *(.rodata) } .data 0xf800 : { *(.data) *(.bss) *(COMMON) }"
    (tmp_path / "t.ld").write_text(f"SECTIONS {{ {sections} }}", encoding="utf-8")
    run("cc", "-O1", "-o", "h", "h.c")
    run("h8300-hms-gcc", level, "-c", "t.c", "-o", "t.o")
    run("h8300-hms-ld", "-T", "t.ld", "-e", "_f", "-o", "t.out", "t.o")
    run("h8300-hms-objcopy", "-O", "binary", "-j", ".text", "t.out", "t.bin")
    places = {
        f[2]: int(f[0], 16) for f in (line.split() for line in run("h8300-hms-nm", "t.out").splitlines())
    }
    for seed in range(3):
        data = random.Random(seed).randbytes(32)
        wanted = subprocess.run([tmp_path / "h"], input=data, check=True, capture_output=True).stdout
        m = Simulator((tmp_path / "t.bin").read_bytes(), AT, 0xFF00)
        m.memory[places["_data"] : places["_data"] + 32] = data
        m.call(places["_f"])
        assert bytes(m.memory[places["_out"] : places["_out"] + 64]) == wanted


def test_unknown_code_is_refused() -> None:
    with pytest.raises(DescriptionError) as refused:
        Simulator(bytes.fromhex("01806000"), AT, 0xFF00).call(AT)
    assert str(refused.value).startswith(
        "error[E131]: `instructions.toml` knows no instruction 01806000 (at 0x0100)"
    )


def test_what_never_returns_is_stopped() -> None:
    with pytest.raises(TimeoutError):
        Simulator(bytes.fromhex("40fe"), AT, 0xFF00).call(AT, most=1000)


@assembled
@pytest.mark.parametrize("name", CIPHERS)
def test_known_answers_pass_in_the_simulator(name: str) -> None:
    rows = target.measure(target.make(load(name), 128, processor="h8-300"))
    assert {row.operation for row in rows} == {"key_setup_both", "encrypt", "decrypt"}
    assert all(row.value > 0 and row.level == "embedded" and row.basis == "simulated" for row in rows)


@assembled
@pytest.mark.parametrize("bits", [128, *(pytest.param(n, marks=pytest.mark.slow) for n in (192, 256))])
def test_e2_takes_no_more_than_its_authors_code(bits: int) -> None:
    rows = target.measure(target.make(load("e2"), bits, unrolled=True, processor="h8-300"))
    mine = {
        row.operation: row.value
        for row in rows
        if row.metric == "cycles" and row.configuration == "rounds unrolled, call to return"
    }
    theirs = {
        row.operation: row.value
        for row in published_rows()
        if row.target == "h8-300" and row.metric == "cycles" and row.key_bits in (None, bits)
    }
    assert set(theirs) == {"key_setup_both", "encrypt"}
    for operation, value in theirs.items():
        assert mine[operation] <= value
    assert mine["decrypt"] == pytest.approx(mine["encrypt"], rel=0.05)


@assembled
def test_lines_are_as_long_as_counted(tmp_path: Path) -> None:
    made = target.make(load("rijndael"), 128, processor="h8-300")
    text = made.assembly.text.splitlines()
    with Machine(made.assembly.text, tmp_path) as machine:
        for name in ("encrypt", "decrypt"):
            label = f"rijndael_{name}"
            body = text[text.index(f"{label}:") : text.index(f"{label}_over:")]
            lines = [line.strip() for line in body if line.startswith("\t") and not line.startswith("\t.")]
            assert sum(H8.cost(line)[1] for line in lines) == machine.size(label)


@assembled
def test_wrong_h8_code_is_refused() -> None:
    made = target.make(load("rijndael"), 128, processor="h8-300")
    text = made.assembly.text.replace("\t.byte 0x63,", "\t.byte 0x62,", 1)
    wrong = dataclasses.replace(made, assembly=dataclasses.replace(made.assembly, text=text))
    with pytest.raises(VerificationError) as refused:
        target.measure(wrong)
    assert str(refused.value).startswith(
        "error[E130]: Rijndael: `key_schedule` for H8/300 gives a wrong result in the H8/300 simulator"
    )


@assembled
def test_code_larger_than_the_rom_is_refused(tmp_path: Path) -> None:
    text = "\n".join(["\t.section .text", *["\tnop"] * 31_700, "\trts"]) + "\n"
    with pytest.raises(VerificationError) as refused:
        Machine(text, tmp_path)
    assert str(refused.value).startswith("error[E124]: the code does not fit an H8/3337")
    assert "ROM: 63658 of 63360 bytes" in str(refused.value)


@assembled
def test_text_that_binutils_refuses(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as refused:
        Machine("\tmov.b r9h,r0l\n", tmp_path)
    assert str(refused.value).startswith("error[E121]: `h8300-hms-as` refuses the assembly text")


def test_missing_binutils_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolError) as refused:
        Machine("", tmp_path)
    assert "error[T002]: `h8300-hms-as` is not on this machine" in str(refused.value)
    assert "apt-get install binutils-h8300-hms" in str(refused.value)


def test_h8_files_are_written_and_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for folder in ("a", "b"):
        done = assay(
            capsys, "emit", "asm", "rijndael", "--processor", "h8-300", "-o", str(tmp_path / folder), "--json"
        )
        assert done.code == 0
        assert [Path(f).name for f in done.json["files"]] == ["rijndael.s", "rijndael.ld", "README.md"]
        texts.append([Path(f).read_bytes() for f in done.json["files"]])
    assert texts[0] == texts[1]
