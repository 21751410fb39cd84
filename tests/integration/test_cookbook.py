"""What docs/cypher.md says that each inspection finds in the sample is what it finds."""

from collections.abc import Iterator

import pytest

from hipporag_neo4j import demo
from hipporag_neo4j.hipporag import HippoRAG
from hipporag_neo4j.inspection.catalogue import inspections
from hipporag_neo4j.settings import Settings
from tests.embedders import CachedEmbedder
from tests.scripts import load_script
from tests.servers import ROOT

COOKBOOK = (ROOT / "docs" / "cypher.md").read_text(encoding="utf-8")
script = load_script("_cookbook")


@pytest.fixture(scope="module")
def sample(module_settings: Settings, cached_minilm: CachedEmbedder) -> Iterator[HippoRAG]:
    """The sample, as `hipporag-neo4j demo` imports it."""
    with HippoRAG(module_settings, embedder=cached_minilm) as rag:
        rag.import_openie(demo.OPENIE)
        yield rag


@pytest.mark.parametrize("name", inspections())
def test_it_finds_what_the_cookbook_says(name: str, sample: HippoRAG) -> None:
    inspection = inspections()[name]
    assert "\n".join(script.recipe(inspection, script.found(sample, inspection))) in COOKBOOK


def test_the_sample_has_no_orphans_and_is_healthy(sample: HippoRAG) -> None:
    assert sample.inspect("orphaned-parts", limit=1000) == []
    assert {measure.verdict for measure in sample.health().measures} == {"fine"}
