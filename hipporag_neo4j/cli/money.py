"""Tokens and money, as people read them."""


def money(amount: float, currency: str | None) -> str:
    """`1.25 USD`; four digits that count for what is less than a unit."""
    digits = 2 if amount >= 1 or not amount else 4
    shown = f"{amount:,.{digits}f}" if not 0 < amount < 0.0001 else "less than 0.0001"
    return f"{shown} {currency or ''}".rstrip()


def tokens(prompt: float, completion: float) -> str:
    """`81,304 + 9,120 tokens`: in and out."""
    return f"{prompt:,.0f} + {completion:,.0f} tokens"


def duration(seconds: float) -> str:
    """`45 s`, `12 min`, `3 h 5 min`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def size(number: float) -> str:
    """`512 kB`, `1.4 GB`: bytes, in powers of a thousand."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= factor:
            return f"{number / factor:,.1f} {unit}" if number < 10 * factor else f"{number / factor:,.0f} {unit}"
    return f"{number:,.0f} bytes"
