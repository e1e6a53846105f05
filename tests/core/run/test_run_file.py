"""A run file is read with every mistake named by its field."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ErrorKind, UserError
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.run_file import MAX_RUN_FILE_BYTES, load_run_file, parse_run_file, template, write_template
from core.run.spec.optimizer import AdamW8bit
from tests.core.run.run_files import changed, in_local_sgd, with_local_updates

_COUNTED_BY_PUBLISH = {"format", "revision"}


def mistakes(text: str) -> str:
    """What is said of a file that is wrong."""
    with pytest.raises(UserError) as caught:
        parse_run_file(text)
    assert caught.value.problem is ErrorKind.RUN_FILE_WRONG
    return str(caught.value.detail)


def test_the_template_has_every_field_that_an_organiser_may_set() -> None:
    tables = {}
    for line in template().splitlines():
        if section := re.fullmatch(r"\[(\w+)\]", line):
            tables[section[1]] = set[str]()
        elif field := re.match(r"(\w+) = ", line):
            tables[list(tables)[-1]].add(field[1])
    for section_field in msgspec.structs.fields(RunManifest):
        if section_field.name not in _COUNTED_BY_PUBLISH:
            section_type = next(iter(get_args(section_field.type)), section_field.type)
            fields = {field.name for field in msgspec.structs.fields(section_type)}
            tag = {section_type.__struct_config__.tag_field} - {None}
            assert fields | tag == tables[section_field.name]


def test_the_template_is_written_but_never_over_another_file(tmp_path: Path) -> None:
    write_template(tmp_path / "run.toml")
    text = (tmp_path / "run.toml").read_text()
    assert re.sub(r'id = "arithmetic-[0-9a-f]{8}"', 'id = "arithmetic-demo"', text) == template()
    with pytest.raises(UserError, match="exists already"):
        write_template(tmp_path / "run.toml")


def test_every_new_run_has_an_id_of_its_own(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_template(tmp_path / name)
    one, other = (load_run_file(tmp_path / name).run.id for name in ("one", "other"))
    assert one != other and "arithmetic-demo" not in (one, other)


def test_statistics_that_float16_would_make_zeros_of_are_refused() -> None:
    text = changed('state_averaging_compression = "none"', 'state_averaging_compression = "float16"')
    said = mistakes(text.replace("average_opt_statistics = []", 'average_opt_statistics = ["exp_avg"]'))
    assert "would make zeros of small average_opt_statistics" in said


def test_an_optimizer_in_8_bits_stays_on_the_gpu_and_is_never_averaged() -> None:
    eight = changed('name = "adamw"', 'name = "adamw8bit"')
    assert 'optimizer "adamw8bit" computes where the model is' in mistakes(eight)
    for option in ("offload_optimizer", "delay_optimizer_step", "delay_grad_averaging"):
        assert f"{option} = true" in eight
        eight = eight.replace(f"{option} = true", f"{option} = false")
    assert parse_run_file(eight).optimizer == AdamW8bit(learning_rate=3e-3, beta1=0.5, beta2=0.95)
    averaging = eight.replace("average_opt_statistics = []", 'average_opt_statistics = ["exp_avg"]')
    assert "this optimizer has no exp_avg" in mistakes(averaging)


def test_a_few_directions_are_sent_in_halves_at_least_and_where_gradients_are_sent_at_all() -> None:
    few = changed('powersgd_rank = "none"', "powersgd_rank = 4")
    assert parse_run_file(few).collaboration.powersgd_rank == 4
    coarse = few.replace('grad_compression = "none"', 'grad_compression = "uniform_8bit"')
    assert "powersgd_rank needs grad_compression in halves at least" in mistakes(coarse)
    alone = few.replace("use_local_updates = false", "use_local_updates = true")
    assert "powersgd_rank is about gradients" in mistakes(alone)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "learning_rate",
            "learning_rat",
            "[optimizer] learning_rat: unknown field; did you mean learning_rate?",
        ),
        ("averaging_timeout = 20.0", "averaging_expiration = 20.0", "did you mean matchmaking_time?"),
        ("batch_size_per_step = 256", "batch_size = 256", "did you mean batch_size_per_step?"),
        ('powersgd_rank = "none"', "powersgd_rank = 0", "powersgd_rank = 0: must be at least 1."),
        ("[optimizer]", "[optimiser]", "[optimiser]: unknown section; did you mean optimizer?"),
        ("layers = 2", "layers = 100000", "[recipe] layers = 100000: must be at most 24."),
        ("layers = 2", "layers = 0", "[recipe] layers = 0: must be at least 1."),
        ("layers = 2", "layers = 10" + "0" * 400, "must be at most 24."),
        ("layers = 2", "layers = true", "[recipe] layers = true: must be a whole number."),
        ("layers = 2", "layers = 2.0", "[recipe] layers = 2.0: must be a whole number."),
        ("width = 64", "width = 66", "[recipe]: width 66 cannot be shared evenly by 16 heads."),
        ("dropout = 0.0", "dropout = 1", "[recipe] dropout = 1: must be less than 1.0."),
        ("learning_rate = 3e-3", "learning_rate = nan", "must be"),
        ("learning_rate = 3e-3", "learning_rate = inf", "must be at most 10.0."),
        ("epsilon = 1e-8", "epsilon = 0", "must be more than 0.0."),
        ("max_grad_norm = 1.0", 'max_grad_norm = "no"', 'must be a number, or "none".'),
        (
            'name = "adamw"',
            'name = "sdg"',
            '[optimizer] name = "sdg": must be "adamw" or "adamw8bit" or "sgd"',
        ),
        ('name = "adamw"', 'name = "sgd"', "[optimizer] beta1: unknown field; [optimizer] may have learning"),
        ('state = "open"', 'state = "shut"', 'must be "open" or "paused" or "finished".'),
        (
            'kind = "arithmetic-gpt"',
            'kind = "gpt-5"',
            '[recipe] kind = "gpt-5": must be "arithmetic-gpt" or',
        ),
        ('id = "arithmetic-demo"', 'id = "my run"', '[run] id = "my run": must be letters, digits, - and _'),
        ('id = "arithmetic-demo"', "", "[run] id: is missing."),
        ('name = "Learning to add"', 'name = ""', "must not be empty."),
        ('name = "Learning to add"', f'name = "{"x" * 121}"', "must have at most 120 characters."),
        ("target_batch_size = 32768", "", "[collaboration] target_batch_size: is missing."),
        ("target_batch_size = 32768", "target_batch_size = 9", "must be at least batch_size_per_step."),
        ("matchmaking_time = 2.5", "matchmaking_time = 0", "must be at least 0.5."),
        (
            "digits = 2",
            "digits = 2\nlayers = 2",
            "[data] layers: unknown field here; it belongs in [recipe].",
        ),
        ("[run]", "layers = 2\n[run]", "layers: unknown field here; it belongs in [recipe]."),
        ("[run]", "data = 2\n[run]", "It is not TOML"),
        ("[run]", "colour = 'red'\n[run]", "colour: unknown field; the file may have format"),
        ("delay_grad_averaging = true", "delay_grad_averaging = false", "does not accept this combination"),
        ('kind = "constant"', 'kind = "cosine"', "[scheduler]: the cosine schedule needs total_epochs."),
        (
            "average_opt_statistics = []",
            'average_opt_statistics = ["momentum_buffer"]',
            "average_opt_statistics: this optimizer has no momentum_buffer",
        ),
        ("digits = 2", "digits = ", "It is not TOML: Invalid value (at line"),
        ("digits = 2", "digits = " + "[" * 3000, "It is not TOML"),
    ],
)
def test_a_mistake_is_named(old: str, new: str, said: str) -> None:
    assert said in mistakes(changed(old, new))


FILES = """kind = "image-files"
[[data.files]]
url = "https://example.org/one.parquet"
sha256 = "{good}"
size_bytes = 10
[[data.files]]
url = "https://example.org/two.parquet"
sha256 = "{other}"
size_bytes = 10
"""


def images(**fields: str) -> str:
    """A run file whose data are two files of images."""
    data = FILES.format(**({"good": "a" * 64, "other": "b" * 64} | fields))
    return re.sub(r"\[data\][^[]*", lambda _: f"[data]\n{data}", template())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            images(other="ABC"),
            '[[data.files]] #2 sha256 = "ABC": must be 64 hexadecimal digits in lower case.',
        ),
        (images().replace("size_bytes = 10\n[[", "[["), "[[data.files]] #1 size_bytes: is missing."),
        (images().replace("url", "ur", 1), "[[data.files]] #1 ur: unknown field; did you mean url?"),
        (images().replace("https://example.org/two", "ftp://example.org/two"), "[[data.files]] #2: url: "),
        (
            changed("digits = 2", 'kind = "hub"\nrepository = "a/b"\nrevision = "main"').replace('kind = "sums"', ""),
            '[data] revision = "main": must be a commit: 40 hexadecimal digits in lower case.',
        ),
        (
            changed("average_opt_statistics = []", 'average_opt_statistics = ["exp_avg", "mean"]'),
            '[collaboration] average_opt_statistics #2 = "mean": must be "exp_avg" or',
        ),
        (changed("average_opt_statistics = []", "average_opt_statistics = 3"), "must be a list in brackets."),
    ],
)
def test_a_mistake_is_named_with_its_rule_and_its_place_in_a_list(text: str, said: str) -> None:
    assert said in mistakes(text)


def types_in(kind: Any) -> Iterator[Any]:
    """The type, and all that it is made of."""
    yield kind
    parts = typing.get_args(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        parts = tuple(field.type for field in msgspec.structs.fields(kind))
    for part in parts:
        yield from types_in(part)


def test_every_pattern_in_a_run_file_has_its_rule_in_words() -> None:
    bounds = [
        each
        for kind in types_in(RunManifest)
        for each in getattr(kind, "__metadata__", ())
        if isinstance(each, msgspec.Meta) and each.pattern
    ]
    assert bounds and all(each.description for each in bounds)


def test_all_mistakes_are_told_at_once() -> None:
    text = changed("layers = 2", "layers = 99").replace("learning_rate", "learning_rat").replace("[data]", "[date]")
    assert [line.split(":")[0] for line in mistakes(text).splitlines()] == [
        "[recipe] layers = 99",
        "[date]",
        "[optimizer] learning_rat",
    ]


def test_a_missing_section_is_named() -> None:
    assert mistakes("").splitlines() == [
        "[run] is missing.",
        "[recipe] is missing.",
        "[collaboration] is missing.",
    ]


def test_a_value_in_place_of_a_section_is_named() -> None:
    text = "data = 3\n" + re.sub(r"\[data\][^[]*", "", template())
    assert mistakes(text) == "data = 3: must be a section, [data]."


def test_none_stands_for_nothing_where_nothing_may_be() -> None:
    assert parse_run_file(changed("max_grad_norm = 1.0", 'max_grad_norm = "none"')).optimizer.max_grad_norm is None


def test_a_newer_format_is_said_to_be_newer() -> None:
    with pytest.raises(UserError) as caught:
        parse_run_file("format = 2\n" + template())
    assert caught.value.problem is ErrorKind.MANIFEST_TOO_NEW


def test_200_kb_of_text_are_refused(tmp_path: Path) -> None:
    text = changed('notice = ""', f'notice = "{"x" * 200_000}"')
    assert f"at most {MAX_RUN_FILE_BYTES}" in mistakes(text)
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(UserError, match="bytes"):
        load_run_file(tmp_path / "run.toml")


def test_a_manifest_that_no_record_holds_is_refused() -> None:
    description = f'description = "{"💡" * 8000}"'
    text = re.sub(r'description = """.*?"""', description, template(), flags=re.DOTALL)
    assert "[run] description: too long" in mistakes(text)
    assert parse_run_file(text.replace("💡" * 8000, "💡" * 7000)).run.description == "💡" * 7000


@pytest.mark.parametrize("encoded", [b"\xff\xfe[run]", b"[run]\nname = '\xe9'"])
def test_what_is_not_utf8_is_named_with_its_line(tmp_path: Path, encoded: bytes) -> None:
    (tmp_path / "run.toml").write_bytes(encoded)
    with pytest.raises(UserError, match=r"UTF-8 text \(line [12]\)"):
        load_run_file(tmp_path / "run.toml")


@pytest.mark.parametrize("path", ["nowhere.toml", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, path: str) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        load_run_file(tmp_path / path)


@given(st.text())
def test_no_text_is_more_than_a_mistake(text: str) -> None:
    with pytest.raises(UserError):
        parse_run_file(text)


def test_local_updates_say_which_options_they_need() -> None:
    assert parse_run_file(with_local_updates()).collaboration.use_local_updates
    for option in ("delay_grad_averaging", "delay_optimizer_step", "reuse_grad_buffers"):
        assert "use_local_updates averages no gradients: it needs" in mistakes(with_local_updates(**{option: "true"}))


def test_each_mode_refuses_the_others_options() -> None:
    run = parse_run_file(in_local_sgd(outer_lr="0.5", delta_codec='"int4"', overlap='"delayed"'))
    assert run.collaboration.delta_codec == "int4"
    for option, value in (("use_local_updates", "true"), ("grad_compression", '"float16"'), ("powersgd_rank", "4")):
        assert f'{option} needs mode = "gradients"' in mistakes(in_local_sgd(**{option: value}))
    for option, value in (("outer_lr", "0.5"), ("delta_codec", '"fp16"'), ("max_round_seconds", "9.0")):
        assert f'{option} needs mode = "local-sgd"' in mistakes(in_local_sgd(mode='"gradients"', **{option: value}))


def test_a_round_is_longer_than_the_search_for_its_group() -> None:
    assert parse_run_file(in_local_sgd(max_round_seconds="5400")).collaboration.max_round_seconds == 5400
    text = in_local_sgd(max_round_seconds="10", matchmaking_time="15")
    assert "max_round_seconds must be longer than matchmaking_time" in mistakes(text)


def test_steps_that_are_limited_need_another_end_of_the_round() -> None:
    run = parse_run_file(in_local_sgd(inner_steps_max="500", max_round_seconds="5400"))
    assert run.collaboration.inner_steps_max == 500
    assert "inner_steps_max needs max_round_seconds" in mistakes(in_local_sgd(inner_steps_max="500"))
    text = in_local_sgd(inner_steps_min="501", inner_steps_max="500", max_round_seconds="5400")
    assert "inner_steps_max must be at least inner_steps_min" in mistakes(text)


@pytest.mark.parametrize(
    "address", ["https://example.org/my-run/", "https://[2001:db8::1]:8443/a", "http://127.0.0.1:8000"]
)
def test_a_mirror_is_the_address_of_a_folder(address: str) -> None:
    assert parse_run_file(in_local_sgd(mirror=f'"{address}"')).collaboration.mirror == address


@pytest.mark.parametrize(
    ("address", "flaw"),
    [
        ("example.org/run", "it must begin with http"),
        ("http://example.org/run", "it must begin with https://"),
        ("file:///etc", "it must begin with http"),
        ("https://", "it must begin with http"),
        ("https://me:secret@example.org/run", "no name and no password"),
        ("https://example.org/run?key=1", "no part after ?"),
        ("https://example.org/run#there", "no part after #"),
        ("https://example.org/my run", "no spaces"),
        ("https://example.org/" + "x" * 500, "at most 500"),
    ],
)
def test_what_is_wrong_with_a_mirrors_address_is_said(address: str, flaw: str) -> None:
    text = in_local_sgd(mirror=f'"{address}"')
    assert "mirror" in mistakes(text)
    assert flaw in mistakes(text)


def test_only_local_sgd_has_a_mirror() -> None:
    text = in_local_sgd(mode='"gradients"', mirror='"https://example.org/"')
    assert 'mirror needs mode = "local-sgd"' in mistakes(text)


@pytest.mark.parametrize(
    ("codec", "bytes_each_way"), [("fp16", 2.0), ("int8", 258 / 256), ("int4", 18 / 32), ("topk", 0.032)]
)
def test_local_sgd_sends_what_has_changed_once(codec: str, bytes_each_way: float) -> None:
    needs = estimate_requirements(parse_run_file(in_local_sgd(delta_codec=f'"{codec}"')))
    assert needs.traffic_bytes == pytest.approx(2 * bytes_each_way * needs.trained_parameters, rel=0.01)
    assert needs.download_bytes == 6 * needs.trained_parameters
