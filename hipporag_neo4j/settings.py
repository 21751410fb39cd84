"""Settings: from arguments, else from the environment. No file is read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AfterValidator, Field, SecretStr, StringConstraints
from pydantic_settings import BaseSettings, SettingsConfigDict

from hipporag_neo4j.access import without_password
from hipporag_neo4j.errors import ConfigurationError
from hipporag_neo4j.text import Normalisation

EmbeddingProvider = Literal["sentence-transformers", "openai"]
ProjectionWeights = Literal["sum", "paper"]
ModelName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

DEFAULT_EMBEDDING_MODEL = "all-MiniLM-L6-v2"
_MOST = 1_000_000
"""Of anything that is counted or weighed: more would overflow somewhere, or fill the server's memory."""
_MOST_TOKENS = 10**12


def check_namespace(name: str) -> str:
    """A namespace is 1 to 64 ASCII letters, digits, `_` or `-`: part of projection names and search terms."""
    if isinstance(name, str) and 1 <= len(name) <= 64 and all(c.isascii() and (c.isalnum() or c in "_-") for c in name):
        return name
    raise ConfigurationError(
        f"The namespace {name!r} can't be used: take 1 to 64 ASCII letters, digits, '_' or '-', such as 'team_a'."
    )


class Settings(BaseSettings):
    """What can be set, with its default. Environment names: `NEO4J_…` and `OPENAI_…` as everybody has them, the rest
    `HIPPORAG_` + the field's name."""

    model_config = SettingsConfigDict(env_prefix="HIPPORAG_", frozen=True, populate_by_name=True, extra="forbid")

    neo4j_uri: str | None = Field(None, validation_alias="NEO4J_URI")
    """Address of the server. Without one, the local server started by `hipporag-neo4j server start` is used."""
    neo4j_username: str = Field("neo4j", validation_alias="NEO4J_USERNAME")
    """The user who asks."""
    neo4j_password: SecretStr | None = Field(None, validation_alias="NEO4J_PASSWORD")
    """The password; the local server needs none."""
    neo4j_database: str | None = Field(None, validation_alias="NEO4J_DATABASE")
    """The database; the user's own unless set."""
    query_timeout: float = Field(120.0, gt=0, le=_MOST)
    """Seconds after which the server ends a statement; making indexes, waiting for them, and rewriting all synonyms for
    another threshold have no limit."""

    namespace: Annotated[str, AfterValidator(check_namespace)] = "default"
    """Which graph: several live side by side in one database."""
    normalisation: Normalisation | None = None
    """Rule for new graphs (`unicode` unless set). An existing graph keeps its own; another one is refused."""

    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")
    """Key of the language model's endpoint."""
    openai_base_url: str | None = Field(None, validation_alias="OPENAI_BASE_URL")
    """Address of an OpenAI-compatible server; OpenAI's own unless set."""
    llm_model: ModelName | None = None
    """Name of the language model. Without one, indexing needs ready triples and questions need given entities."""
    llm_concurrency: int = Field(8, ge=1, le=256)
    """Passages read at a time."""
    llm_timeout: float = Field(120.0, gt=0, le=_MOST)
    """Seconds one attempt may take."""
    llm_retries: int = Field(4, ge=0, le=_MOST)
    """Attempts after the first when the endpoint is busy, failing or out of reach."""
    llm_deadline: float = Field(300.0, gt=0, le=_MOST)
    """Seconds after which a call is given up, all its attempts and waits included."""
    llm_max_tokens: int = Field(2048, ge=16, le=_MOST)
    """Tokens an answer may have; one that is longer is cut off."""
    llm_cache: bool = True
    """Keep the language model's answers in the graph, and ask nothing twice."""
    index_max_tokens: int | None = Field(None, ge=0, le=_MOST_TOKENS)
    """Tokens, in and out together, after which a run of `index` or `retry-failed` begins no more passages."""
    index_max_cost: float | None = Field(None, ge=0, le=_MOST)
    """Money after which it begins no more, in the currency of the price table."""
    prices: Path | None = None
    """Table of prices of your own; the package's unless set. docs/cost.md shows its form."""
    prompts_dir: Path | None = None
    """Folder with prompts of your own; a file that is absent there is taken from the package."""

    embedding_provider: EmbeddingProvider = "sentence-transformers"
    """Who embeds: a model on this machine, or an OpenAI-compatible endpoint."""
    embedding_model: ModelName = DEFAULT_EMBEDDING_MODEL
    """Name of the embedding model. A graph remembers it; another one is refused."""
    embedding_base_url: str | None = None
    """Endpoint of the `openai` provider; `OPENAI_BASE_URL` unless set."""
    embedding_api_key: SecretStr | None = None
    """Key of the `openai` provider; `OPENAI_API_KEY` unless set."""
    embedding_batch_size: int = Field(64, ge=1, le=2048)
    """Texts embedded at a time."""
    embedding_timeout: float = Field(60.0, gt=0, le=_MOST)
    """Seconds an attempt of the `openai` provider may take."""
    embedding_retries: int = Field(4, ge=0, le=_MOST)
    """As `llm_retries`, for the `openai` provider."""

    passage_size: int = Field(1500, ge=100, le=_MOST)
    """Characters a passage holds at most; longer texts are split by sentences."""
    synonym_threshold: float | None = Field(None, gt=0, le=1)
    """Cosine from which two phrases are synonyms, for new graphs (0.8 unless set). A property of the embedding model:
    0.8 suits all-MiniLM-L6-v2. An existing graph keeps its own; another one is refused."""

    damping: float = Field(0.5, ge=0, lt=1)
    """Probability to follow an edge; 1 - damping is the paper's restart probability."""
    iterations: int = Field(20, ge=1, le=10_000)
    """Iterations after which the walk ends at the latest."""
    tolerance: float = Field(1e-7, gt=0, le=1)
    """The walk ends when no node changes more than this in an iteration; seeds sum to 1."""
    minimum: float = Field(1e-6, ge=0, le=1)
    """Phrases that hold at most this after the walk don't count."""
    projection_weights: ProjectionWeights = "sum"
    """`sum`: facts, synonyms and mentions add up. `paper`: as the official code builds its graph, for comparisons."""
    fact_weight: float = Field(2.0, ge=0, le=_MOST)
    """What a fact weighs in the walk, times the passages that state it."""
    synonym_weight: float = Field(2.0, ge=0, le=_MOST)
    """What a synonym weighs in the walk, times its cosine."""
    mention_weight: float = Field(1.0, ge=0, le=_MOST)
    """What joins a passage and a phrase in the walk of `hipporag2` and `hybrid`, whatever the mention's count."""

    projection_megabytes: int = Field(1024, ge=1, le=_MOST)
    """What projections in the server's memory may take together before the oldest are dropped; the one in use stays."""

    hipporag2_facts: int = Field(5, ge=1, le=1000)
    """Candidate facts that the filter of `hipporag2` is shown."""
    hipporag2_passage_weight: float = Field(0.05, ge=0, le=_MOST)
    """What the nearest passage weighs as a seed of `hipporag2`; a kept fact weighs at most 1."""
    hipporag2_passage_seeds: int = Field(0, ge=0, le=_MOST)
    """Nearest passages where the walk of `hipporag2` starts; 0 for all of them, as in the paper."""
    hybrid_facts: int = Field(20, ge=1, le=1000)
    """Candidate facts that the filter of `hybrid` is shown."""
    hybrid_passage_weight: float = Field(0.02, ge=0, le=_MOST)
    """As `hipporag2_passage_weight`."""
    hybrid_passage_seeds: int = Field(200, ge=0, le=_MOST)
    """As `hipporag2_passage_seeds`. On a large graph, all of them cost more than the walk and hardly find more."""
    entity_weight: float = Field(0.5, ge=0, le=_MOST)
    """What a phrase that the question names weighs in `hybrid`, times its specificity."""
    no_llm_margin: float = Field(0.03, ge=0, le=2)
    """How far below the best fact's cosine a fact is kept by `hybrid` without a language model."""
    no_llm_entity_weight: float = Field(0.3, ge=0, le=_MOST)
    """As `entity_weight`, without a language model: a phrase whose name stands in the question."""
    no_llm_passage_weight: float = Field(0.05, ge=0, le=_MOST)
    """As `hybrid_passage_weight`, without a language model."""
    seed_phrases: int = Field(5, ge=1, le=_MOST)
    """Phrases of kept facts where the walk starts."""

    further_facts: int = Field(30, ge=1, le=1000)
    """Facts that a further look of `hybrid` shows."""
    second_look_phrase_facts: int = Field(15, ge=0, le=_MOST)
    """How many of them, at most, touch known phrases; the others are of the best passages."""
    third_look_phrase_facts: int = Field(18, ge=0, le=_MOST)
    """As `second_look_phrase_facts`, in the third look."""
    further_passages: int = Field(8, ge=0, le=_MOST)
    """The best passages whose facts a further look shows."""
    further_seed_phrases: int = Field(10, ge=1, le=_MOST)
    """As `seed_phrases`, from the second look on."""
    further_minimum: float = Field(0.5, ge=0, le=1)
    """What a fact found in a further look counts at least."""

    reading_characters: int = Field(12_000, ge=500, le=_MOST)
    """Characters of passages that the language model is shown at most for an answer; longer ones are shortened."""

    data_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("hipporag-neo4j", appauthor=False)))
    """Where the local server keeps its data."""
    cache_dir: Path = Field(
        default_factory=lambda: Path(platformdirs.user_cache_dir("hipporag-neo4j", appauthor=False))
    )
    """Where downloaded jars are kept."""
    server_password: SecretStr | None = None
    """Password of the local server; a random one unless set."""
    maven_repository: str | None = None
    """Address of a Maven repository that serves the local server's jars; Maven Central unless set."""

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """What is shown of the settings: keys and passwords are hidden, also those in addresses."""
        for name, value in super().__repr_args__():
            address = isinstance(value, str) and "://" in value
            yield name, without_password(value) if address else value


def settings_or_default(settings: object) -> Settings:
    """The settings, or without any those of the environment. Raises ConfigurationError for what is none."""
    if settings is None:
        return Settings()
    if not isinstance(settings, Settings):
        raise ConfigurationError(
            f"The settings are a {type(settings).__name__}. Give Settings(neo4j_uri=…, …), or nothing for those of the "
            "environment (NEO4J_URI, …)."
        )
    return settings
