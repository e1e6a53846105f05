"""A split's files are found in the list of the repository's files; whatever a card says, nothing else is among them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.worker.data.dataset_card import CardConfig, choose_config, configs_in
from core.worker.data.dataset_files import find_split, is_elsewhere, matching
from tests.support.hypothesis_profile import ODD_TEXT

NAMES = (
    "README.md",
    ".gitattributes",
    "data/train-00000-of-00002.parquet",
    "data/train-00001-of-00002.parquet",
    "data/test-00000-of-00001.parquet",
    "en/train.jsonl",
    "en/extra/more.jsonl",
    "de/train.jsonl.gz",
    ".hidden/train.jsonl",
    "__cache__/train.jsonl",
)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("en/train.jsonl", ["en/train.jsonl"]),
        ("data/train-*", ["data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet"]),
        ("*/train.jsonl*", ["en/train.jsonl", "de/train.jsonl.gz"]),
        ("en/**", ["en/train.jsonl", "en/extra/more.jsonl"]),
        ("**/train.jsonl", ["en/train.jsonl"]),
        ("**/*.jsonl", ["en/train.jsonl", "en/extra/more.jsonl"]),
        ("[de]?/*.jsonl*", ["en/train.jsonl", "de/train.jsonl.gz"]),
        (".hidden/*", [".hidden/train.jsonl"]),
        ("*.jsonl", []),
        ("*", []),
        ("../*", []),
    ],
)
def test_patterns_match_as_on_the_hub(pattern: str, found: list[str]) -> None:
    assert matching(pattern, NAMES) == found


def test_no_pattern_takes_for_ever() -> None:
    name = "/".join(["a" * 100] * 20)
    for pattern in ("*a" * 200 + "b", "/".join(["**", "*a*"] * 100), "**/" * 300 + "b"):
        assert matching(pattern, [f"{name}{number}" for number in range(50)]) == []


def names_of(config: CardConfig, split: str, names: Sequence[str] = NAMES) -> tuple[str, ...]:
    return find_split(config, split, names).names


def test_without_a_card_the_hubs_own_rules_name_the_splits() -> None:
    assert names_of(CardConfig(), "train", NAMES[:5]) == NAMES[2:4]
    assert names_of(CardConfig(), "test", NAMES[:5]) == NAMES[4:5]
    assert names_of(CardConfig(), "train", ["a.csv", "b.csv", "notes.md"]) == ("a.csv", "b.csv")
    with pytest.raises(ValueError, match="no split “nothing”; there are: test, train"):
        names_of(CardConfig(), "nothing", NAMES[:5])
    with pytest.raises(ValueError, match="no files"):
        names_of(CardConfig(), "train", [])


CARD = """
license: mit
dataset_info: {features: [{name: text, dtype: string}]}
configs:
- config_name: en
  data_files: en/*.jsonl
- config_name: de
  default: true
  data_files:
  - {split: train, path: de/train.jsonl.gz}
- config_name: folder
  data_dir: data
- config_name: 2021
  data_files: [{split: test, path: [data/test-*, "./data/test-00000-of-00001.parquet"]}]
  sep: "|"
"""


def test_a_card_names_configurations() -> None:
    configs = configs_in(CARD)
    assert names_of(choose_config(configs, "en"), "train") == ("en/train.jsonl",)
    assert names_of(choose_config(configs, None), "train") == ("de/train.jsonl.gz",)
    assert names_of(choose_config(configs, "folder"), "train") == NAMES[2:4]
    assert names_of(choose_config(configs, "2021"), "test") == NAMES[4:5]
    with pytest.raises(ValueError, match="no configuration “fr”; there are: en, de, folder, 2021"):
        choose_config(configs, "fr")


def test_csv_may_have_another_separator_of_one_character() -> None:
    assert find_split(CardConfig(sep="|"), "train", ["train.csv"]).options == {"sep": "|"}
    assert find_split(CardConfig(), "train", ["train.tsv"]).options == {"sep": "\t"}
    with pytest.raises(ValueError, match="separator"):
        find_split(CardConfig(sep="(a+)+$"), "train", ["train.csv"])


@pytest.mark.parametrize("name", ["train.zip", "train.tar.gz", "train.pkl", "train.arrow", "train.jsonl.zip", "train"])
def test_what_could_be_an_archive_or_run_code_is_no_data(name: str) -> None:
    with pytest.raises(ValueError, match=r"is none of parquet, json, text, csv"):
        names_of(CardConfig(data_files=name), "train", [name])


@pytest.mark.parametrize(
    "name",
    ["x::ftp:,,127.0.0.1/train.txt", "data/a*.txt", "a?.txt", "a[b].txt", "http:/h/train.txt", "a\n.txt", "%2e.txt"],
)
def test_names_that_the_library_would_take_for_something_else_are_left_out(name: str) -> None:
    found = find_split(CardConfig(data_files=["train.txt", "**"]), "train", [name, "train.txt"])
    assert found.names == ("train.txt",)


@given(
    st.lists(ODD_TEXT | st.sampled_from(["/etc/passwd", "..", "**", "en/*", "ftp://h/x.txt", "~"]), max_size=5),
    ODD_TEXT,
)
def test_whatever_a_card_names_only_files_of_the_repository_are_found(paths: list[str], folder: str) -> None:
    try:
        found = names_of(CardConfig(data_files=list(paths), data_dir=folder), "train")
    except ValueError:
        return
    assert set(found) <= set(NAMES)
    assert not any(map(is_elsewhere, found))


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "[" * 5000,
        "configs: 5",
        "configs: [5]",
        "configs: [{data_files: [[a]]}]",
        "configs: [{data_files: {train: a}}]",
        "a: &x [b]\nconfigs: [{data_files: *x}]",
        "? [a]\n: b",
        "!!python/object/apply:os.system ['true']",
        "a: 2024-99-99\nconfigs: !!int x",
        "configs: [{config_name: a}, {config_name: b}]",
        "\x00",
    ],
)
def test_a_card_that_makes_no_sense_is_refused_in_words_or_says_nothing(text: str) -> None:
    try:
        assert choose_config(configs_in(text), None) == CardConfig()
    except ValueError as error:
        assert str(error).startswith(("its card cannot be read", "the run must name a configuration"))
