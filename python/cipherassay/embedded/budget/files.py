"""What READMEs of code within a budget of RAM say for every processor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded.budget.choose import needs
from cipherassay.embedded.files import facts

if TYPE_CHECKING:
    from cipherassay.embedded.budget.choose import BudgetResult


def filled(template: str, made: BudgetResult, command: str, **more: str) -> str:
    """Return a README: a template with what is known of the code, and whatever else it names."""
    p = made.prefix
    setup = "key_schedule" in made.functions
    first = f", call `{p}_key_schedule`" if setup else ""
    use = f"Put the key into `{p}_key`{first}; put a block into `{p}_block`, call `{p}_encrypt` or\n"
    use += f"`{p}_decrypt`, and take the result from there."
    ways = [
        f"| {o} | {c.candidate.name} | {c.candidate.runs} | {c.cycles} |" for o, c in made.chosen.items()
    ]
    stay = "Key and block stay where they are put; the key is not changed."
    if made.text.shares:
        stay = "The block lies in the key's bytes: a block that is put there overwrites the key."
    operations = "key setup, encryption, decryption" if setup else "encryption and decryption from the key"
    functions = "void " + ", ".join(f"{p}_{f}(void)" for f in made.functions) + ";"
    return template.format(
        **{**facts(made), "declared": functions}, budget=made.budget, command=command, operations=operations,
        use=use,
        ways="\n".join(ways), ram=made.ram, stay=stay, needs=", ".join(needs(made)), **more,
    )  # fmt: skip
