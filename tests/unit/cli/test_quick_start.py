"""Commands start without what the driver imports for others."""

import subprocess
import sys

from tests.servers import ROOT


def run(program: str) -> str:
    """What a new interpreter prints."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def test_the_driver_comes_without_pandas_which_can_be_imported_afterwards() -> None:
    said = run(
        "import sys; from hipporag_neo4j.cli.quick_start import DriverWithoutPandas\n"
        "sys.meta_path.insert(0, DriverWithoutPandas())\n"
        "import neo4j; print({'pandas', 'pyarrow'} & set(sys.modules))\n"
        "print(any(isinstance(finder, DriverWithoutPandas) for finder in sys.meta_path))\n"
        "import numpy; from hipporag_neo4j.database import as_matrix, as_vectors\n"
        "print(as_matrix(as_vectors(numpy.ones((1, 2))), 2).tolist())\n"
        "import pandas, pyarrow, graphdatascience; print(pandas.DataFrame({'a': [1]}).shape)\n"
    )
    assert said.splitlines() == ["set()", "False", "[[1.0, 1.0]]", "(1, 1)"]


def test_what_was_imported_before_stays() -> None:
    said = run(
        "import sys, pandas; from hipporag_neo4j.cli.quick_start import DriverWithoutPandas\n"
        "sys.meta_path.insert(0, DriverWithoutPandas())\n"
        "import neo4j; print(sys.modules['pandas'] is pandas)\n"
    )
    assert said == "True\n"


def test_a_command_is_such_a_process() -> None:
    said = run(
        "import sys; sys.argv = ['hipporag-neo4j', '--version']\n"
        "from hipporag_neo4j.cli import main; print(main())\n"
        "import neo4j; print('pandas' in sys.modules)\n"
    )
    assert said.splitlines()[1:] == ["0", "False"]
