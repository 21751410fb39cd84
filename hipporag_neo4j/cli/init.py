"""`init`: an empty graph with its indexes, and what its passages may be filtered by."""

from hipporag_neo4j.cli import output
from hipporag_neo4j.cli.figures import status_values
from hipporag_neo4j.cli.filters import Filterable, declaration_values, show_declaration
from hipporag_neo4j.cli.options import AsJson, Namespace, Normalisation, SynonymThreshold, make_settings
from hipporag_neo4j.cli.progress import waiting


def init(
    namespace: Namespace = None,
    normalisation: Normalisation = None,
    synonym_threshold: SynonymThreshold = None,
    filterable: Filterable = None,
    as_json: AsJson = False,
) -> None:
    """Make an empty graph with its indexes, or check that the one that is there fits the settings.

    `index` and `import-openie` do this by themselves; `init` is for deciding on the options beforehand, and for
    declaring metadata to filter by, at any time.
    """
    from hipporag_neo4j.filters import parse_declaration
    from hipporag_neo4j.hipporag import HippoRAG

    wanted = parse_declaration(",".join(filterable)) if filterable else None
    settings = make_settings(namespace=namespace, normalisation=normalisation, synonym_threshold=synonym_threshold)
    with HippoRAG(settings) as rag:
        with waiting("Making constraints and indexes"):
            graph = rag.init()
            declaration = rag.declare_filterable(wanted) if wanted else None
        found = rag.status()
    if as_json:
        declared = {} if declaration is None else declaration_values(declaration)
        output.print_json({**status_values(found), **declared})
        return
    output.tell(
        f"The graph {graph.namespace!r} is there: embeddings of {graph.embedding_model} ({graph.dimensions} "
        f"dimensions), {graph.normalisation} normalisation, synonyms from {graph.synonym_threshold:g}; "
        f"{output.plural(found.passages, 'passage')}."
    )
    if declaration is not None:
        show_declaration(declaration)
    elif graph.filterable:
        output.tell(f"Filterable: {', '.join(f'{name}:{kind}' for name, kind in graph.filterable.items())}.")
