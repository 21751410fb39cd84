"""Makes the pictures in docs/pictures: what commands print on the sample, as SVG, and a page in a browser, as PNG."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
COLUMNS = 100
_LONGEST_TITLE = 70
# Rich's template loads a font from the network; these are on the machine that shows the picture.
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


@dataclass(frozen=True)
class Picture:
    """A command without the program's name, and which block between empty lines is shown of what it prints, or all."""

    name: str
    arguments: tuple[str, ...]
    block: int | None = None

    @property
    def title(self) -> str:
        """The command as a user types it."""
        words = (word if re.fullmatch(r"[\w./=-]+", word) else f'"{word}"' for word in self.arguments)
        title = " ".join(["hipporag-neo4j", *words])
        return title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE]}…"


EXPLAIN = (
    *("explain", "Which instrument maker lives in Pellick and was taught by Oda Merrin?"),
    *("--mode", "hipporag1", "--entity", "Pellick", "--entity", "Oda Merrin", "--limit", "3", "--namespace", "demo"),
)
PICTURES_TO_MAKE = (
    Picture("demo", ("demo",), 1),
    Picture("facts", ("inspect", "facts-of-phrase", "--namespace", "demo", "--param", "phrase=Oda Merrin")),
    Picture("health", ("status", "--health", "--namespace", "demo"), 1),
    Picture("explain", EXPLAIN),
)
PAGE = "explain_page"


def printed(arguments: tuple[str, ...]) -> str:
    """What the command prints in a terminal of so many columns, with its colours."""
    run = subprocess.run(
        [sys.executable, "-m", "hipporag_neo4j.cli", *arguments],
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "PYTHONUTF8": "1", "TERM": "xterm-256color"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return run.stdout


def svg(picture: Picture, output: str) -> str:
    """A drawing of a terminal with what was printed."""
    if picture.block is not None:
        output = re.split(r"\n\s*\n", output.strip("\n"))[picture.block]
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(output.strip("\n")))
    template = re.sub(r"@font-face \{\{.*?\}\}\s*|<!--.*?-->\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    template = re.sub(r"font-family: [^;]+", f"font-family: {FONTS}", template)
    drawn = console.export_svg(title=picture.title, theme=MONOKAI, code_format=template, unique_id=picture.name)
    if "http" in drawn.replace("http://www.w3.org/2000/svg", ""):
        raise ValueError(f"The picture {picture.name} would load something from the network.")
    return drawn


def page_picture(path: Path) -> None:
    """The page of an explanation, as Chromium shows it."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print(f"{path} is left as it is: no Chromium is installed.")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        printed((*EXPLAIN, "--html", str(page)))
        options = (
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            "--window-size=1200,640",
            "--virtual-time-budget=3000",
        )
        command = [browser, *options, f"--user-data-dir={folder}/profile", f"--screenshot={path}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
    print(f"Wrote {path}, {path.stat().st_size // 1000} kB.")


if __name__ == "__main__":
    chosen = [picture for picture in PICTURES_TO_MAKE if not sys.argv[1:] or picture.name in sys.argv[1:]]
    printed(("demo",))  # puts the sample where it is asked for
    PICTURES.mkdir(exist_ok=True)
    for each in chosen:
        path = PICTURES / f"{each.name}.svg"
        path.write_text(svg(each, printed(each.arguments)), encoding="utf-8")
        print(f"Wrote {path}, {path.stat().st_size // 1000} kB.")
    if PAGE in sys.argv[1:] or not sys.argv[1:]:
        page_picture(PICTURES / f"{PAGE}.png")
