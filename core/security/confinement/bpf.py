"""An assembler for the classic BPF programs that seccomp runs at each system call (bpf(4), seccomp(2))."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

_LOAD_WORD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_FARTHEST_JUMP = 255
INSTRUCTION_BYTES = 8


@dataclass(frozen=True)
class Label:
    """A place in the program, to which instructions above it may jump."""

    name: str


@dataclass(frozen=True)
class Instruction:
    """One instruction; where its test holds it jumps to ``then``, else the next one follows."""

    code: int
    operand: int
    then: Label | None = None


Program = Sequence[Instruction | Label]


def load(offset: int) -> Instruction:
    """Load the 32-bit word at that offset of ``struct seccomp_data``."""
    return Instruction(_LOAD_WORD, offset)


def if_equal(number: int, then: Label) -> Instruction:
    """Jump where the loaded word is that number."""
    return Instruction(_JUMP_EQUAL, number, then)


def if_at_least(number: int, then: Label) -> Instruction:
    """Jump where the loaded word is that number or a larger one."""
    return Instruction(_JUMP_GREATER_EQUAL, number, then)


def if_any_bit(mask: int, then: Label) -> Instruction:
    """Jump where the loaded word has any bit of that mask."""
    return Instruction(_JUMP_ANY_BIT, mask, then)


def answer(value: int) -> Instruction:
    """End the program with one of seccomp's answers."""
    return Instruction(_RETURN, value)


def assemble(program: Program) -> bytes:
    """The program as ``struct sock_filter`` instructions in this computer's byte order.

    Raises ValueError for a label that is not below its jump, or further below than 255 instructions.
    """
    places = _places(program)
    instructions = [each for each in program if isinstance(each, Instruction)]
    return b"".join(_encode(each, number, places) for number, each in enumerate(instructions))


def _places(program: Program) -> dict[Label, int]:
    """The number of the instruction that follows each label."""
    places: dict[Label, int] = {}
    number = 0
    for each in program:
        if isinstance(each, Label):
            places[each] = number
        else:
            number += 1
    return places


def _encode(instruction: Instruction, number: int, places: dict[Label, int]) -> bytes:
    distance = 0
    if instruction.then is not None:
        distance = places.get(instruction.then, -1) - number - 1
        if not 0 <= distance <= _FARTHEST_JUMP:
            raise ValueError(f"{instruction.then} cannot be reached from instruction {number}")
    return struct.pack("=HBBI", instruction.code, distance, 0, instruction.operand)
