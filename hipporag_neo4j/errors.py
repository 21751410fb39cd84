"""Every error this package raises on purpose.

HippoRAGError
├── ConfigurationError        a setting is missing or contradicts another
│   ├── TooManySynonymsError      the synonym threshold joins too many phrases
│   ├── NoLanguageModelError      a language model has to decide something, and none is set
│   └── MissingExtraError         a library that an extra brings can't be imported
├── InputError                a file, passage or question can't be used as it is
├── DatabaseError
│   ├── ServerUnavailableError    nothing answers at the address
│   ├── AuthenticationError       the server refuses the user
│   ├── UnsupportedServerError    Neo4j or GDS is missing a needed feature
│   ├── ForeignDataError          other data uses this product's properties
│   ├── GraphNotFoundError        the namespace holds no graph
│   ├── GraphChangedError         the graph was written to since a result was found
│   ├── GraphMismatchError        the graph was made with other settings
│   ├── SchemaVersionError        the graph was made by an older or a newer version of this package
│   └── QueryError                a statement failed
├── ModelError
│   ├── LLMError                  the language model's endpoint failed
│   │   └── LLMAccessError            it refuses the key, the account or the model: every call would fail
│   ├── UnreadableAnswerError     the model answered, but not in a shape that can be read
│   └── EmbeddingError            the embedding model failed
└── LocalServerError          the local Neo4j server can't be fetched, started or stopped

A message says what was found, where, and what to do next; the command line prints it as it is.
"""


class HippoRAGError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigurationError(HippoRAGError):
    """A setting is missing or contradicts another."""


class TooManySynonymsError(ConfigurationError):
    """The synonym threshold joins more phrases than a graph can use."""


class NoLanguageModelError(ConfigurationError):
    """A language model has to decide something, and none is set."""


class MissingExtraError(ConfigurationError, ImportError):
    """A library that is installed with an extra of this package can't be imported."""


class InputError(HippoRAGError):
    """A file, passage or question can't be used as it is; the message names the place."""


class DatabaseError(HippoRAGError):
    """Base of everything that concerns the Neo4j server."""


class ServerUnavailableError(DatabaseError):
    """Nothing answers at the server's address, or the connection was lost."""


class AuthenticationError(DatabaseError):
    """The server refuses the user name or the password."""


class UnsupportedServerError(DatabaseError):
    """The server lacks a feature that is needed: see `hipporag-neo4j doctor`."""


class ForeignDataError(DatabaseError):
    """Other data in the database uses the properties this product relies on."""


class GraphNotFoundError(DatabaseError):
    """The namespace holds no graph."""


class GraphChangedError(DatabaseError):
    """Another version of the graph was published since a result was found."""


class GraphMismatchError(DatabaseError):
    """The graph was made with another embedding model, dimension or normalisation."""


class SchemaVersionError(DatabaseError):
    """The graph was made by an older version of this package, and has to be migrated, or by a newer one."""


class QueryError(DatabaseError):
    """A statement failed on the server.

    Attributes: `query` is the statement's name, `code` the server's status code.
    """

    def __init__(self, message: str, *, query: str = "", code: str = "") -> None:
        super().__init__(message)
        self.query = query
        self.code = code


class ModelError(HippoRAGError):
    """Base of everything that concerns a language or embedding model."""


class LLMError(ModelError):
    """The language model's endpoint failed; nothing is known about what it would have answered."""


class LLMAccessError(LLMError):
    """The endpoint refuses the key, the account or the model: every further call would fail the same way."""


class UnreadableAnswerError(ModelError):
    """The language model answered, but not in a shape that can be read.

    Attributes: `prompt_tokens` and `completion_tokens` are what the answer cost all the same.
    """

    def __init__(self, message: str, *, prompt_tokens: int = 0, completion_tokens: int = 0) -> None:
        super().__init__(message)
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = completion_tokens


class EmbeddingError(ModelError):
    """The embedding model can't be loaded, or its endpoint failed."""


class LocalServerError(HippoRAGError):
    """The local Neo4j server can't be fetched, started or stopped."""
