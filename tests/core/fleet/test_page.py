"""The status page: accessible as far as code can tell, without anything from elsewhere, small, and harmless."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from html.parser import HTMLParser

import msgspec
import pytest

from core.energy import MAX_DEVICE_WATTS
from core.fleet.charts import thinned
from core.fleet.history import FleetHistory
from core.fleet.page import MAX_PAGE_BYTES, MOST_PEERS, page_files
from core.fleet.snapshot import FleetSnapshot
from core.fleet.style import PALETTES, contrast
from core.protocol.peers import PeerActivity, PeerPower, Suspect
from tests.core.fleet.made_up_fleets import HOSTILE, NOON, peer, snapshot

VOID = {"meta", "link", "img", "br", "hr", "input"}
BEFORE = snapshot(peer(0), loss=2.0)
DAY = FleetHistory(msgspec.structs.replace(BEFORE, at=NOON - 60 * minute) for minute in range(1440, -1, -1))


@dataclass
class Element:
    """A tag with its attributes, in the section that it stands in."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, *tags: str) -> list[Element]:
        """Every element of those tags below, in the document's order."""
        return [found for child in self.children for found in ([child] if child.tag in tags else []) + child.all(*tags)]

    @property
    def words(self) -> str:
        """The text of it and of everything below."""
        return " ".join([self.text, *(child.words for child in self.children)]).strip()


class Tree(HTMLParser):
    """The page as a tree; a tag that is closed in the wrong order is a failure."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]
        self.feed(page)
        self.close()
        assert self._open == [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self._open[-1].text += data


def files_of(seen: FleetSnapshot) -> dict[str, bytes]:
    """The files after a day."""
    return page_files(seen, DAY)


def tree_of(seen: FleetSnapshot) -> Element:
    """The page after a day."""
    return Tree(files_of(seen)["index.html"].decode()).root


def hostile(number: int) -> FleetSnapshot:
    """A fleet of peers that call themselves what would break a page, at the greatest length."""
    name, device = (HOSTILE * 2)[:40], (HOSTILE * 2)[:80]
    activity = PeerActivity(version="<b>'\"&</b>" * 2)
    power = PeerPower(watts=MAX_DEVICE_WATTS, joules=2**40)
    peers = [
        peer(each, name=name, device=f"{each}{device}"[:80], activity=activity, power=power) for each in range(number)
    ]
    return snapshot(*peers)


def test_the_page_has_a_language_a_title_a_viewport_and_headings_in_order() -> None:
    page = tree_of(snapshot(*map(peer, range(5))))
    (html,), (title,) = page.all("html"), page.all("title")[:1]
    assert html.attributes["lang"] == "en" and "Sums" in title.words
    viewports = [each.attributes["content"] for each in page.all("meta") if each.attributes.get("name") == "viewport"]
    assert viewports == ["width=device-width, initial-scale=1"]  # and nobody is kept from zooming
    assert len(page.all("main")) == 1
    levels = [int(each.tag[1]) for each in page.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1 and levels.count(1) == 1 and set(levels[1:]) == {2}


def test_tables_name_their_columns_and_rows_and_can_be_scrolled_by_keyboard() -> None:
    page = tree_of(snapshot(*map(peer, range(5))))
    tables = page.all("table")
    assert len(tables) == 4  # devices, versions, evaluations, peers
    for table in tables:
        head, *rows = table.all("tr")
        assert {each.attributes["scope"] for each in head.all("th")} == {"col"} and not head.all("td")
        for row in rows:
            (first,) = row.all("th")
            assert first.attributes["scope"] == "row" and len(row.children) == len(head.children)
    assert all(each.attributes["tabindex"] == "0" for each in page.all("div") if each.attributes.get("class") == "wide")


def test_every_chart_is_an_image_with_a_title_and_a_description_of_what_is_to_be_seen() -> None:
    page = tree_of(snapshot(*map(peer, range(5))))
    charts = page.all("svg")
    assert len(charts) == 3
    for chart in charts:
        assert chart.attributes["role"] == "img"
        names = {each.attributes["id"]: each.words for each in chart.all("title", "desc")}
        assert chart.attributes["aria-labelledby"].split() == [*names] and all(names.values())
    (described, *_) = [each.words for each in charts[0].all("desc")]
    assert "reported: 2.00 at" in described and "signed evaluations: 1.20 at" in described
    ids = [value for each in page.all(*everything(page)) if (value := each.attributes.get("id"))]
    assert len(ids) == len(set(ids))
    labels = [
        word for each in page.all(*everything(page)) for word in each.attributes.get("aria-labelledby", "").split()
    ]
    assert set(labels) <= set(ids)


@pytest.mark.parametrize("theme", [*PALETTES])
def test_text_and_curves_can_be_told_from_what_is_behind_them_in_light_and_dark(theme: str) -> None:
    colours = PALETTES[theme]
    for behind in (colours["paper"], colours["card"]):
        assert min(contrast(colours[each], behind) for each in ("ink", "muted", "second")) >= 4.5
        assert min(contrast(colours[each], behind) for each in ("first", "second", "line", "focus")) >= 3
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # WCAG's own example of just too little
    page = files_of(snapshot())["index.html"].decode()
    assert colours["ink"] in page and "prefers-color-scheme:dark" in page


def test_nothing_is_loaded_or_run_and_links_lead_to_the_pages_own_files() -> None:
    files = files_of(hostile(3))
    page = Tree(files["index.html"].decode()).root
    assert not page.all("script", "img", "iframe", "object", "embed", "link", "base", "form", "b")
    for each in page.all(*everything(page)):
        assert not [name for name in each.attributes if name.startswith("on") or name in ("src", "style", "action")]
        assert each.attributes.get("href", "status.json") in files
    text = b"".join(files.values()).decode()
    assert "url(" not in text and "@import" not in text and 'http-equiv="refresh"' not in text
    assert "default-src 'none'" in text


def test_strangers_words_are_words_and_move_nothing() -> None:
    seen = hostile(3)
    files = files_of(seen)
    text = files["index.html"].decode()
    assert "&lt;script&gt;alert(&#x27;🐝&#x27;)" in text and "<script" not in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    assert json.loads(files["status.json"])["peers"][0]["peer_id"] == seen.peers[0].peer_id


@pytest.mark.parametrize("name", ["loss.svg", "speed.svg", "peers.svg"])
def test_each_chart_is_a_drawing_of_its_own_too(name: str) -> None:
    drawing = ElementTree.fromstring(files_of(snapshot(peer(0)))[name])
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg" and drawing.attrib["role"] == "img"
    points = [each.attrib["points"] for each in drawing.iter("{http://www.w3.org/2000/svg}polyline")]
    assert points and all("nan" not in each and "inf" not in each for each in points)


def test_a_day_of_a_large_fleet_of_hostile_peers_is_a_small_page() -> None:
    files = files_of(hostile(1000))
    assert sum(map(len, files.values())) <= MAX_PAGE_BYTES, {name: len(data) for name, data in files.items()}
    assert len(json.loads(files["status.json"])["peers"]) == MOST_PEERS
    assert f"The {MOST_PEERS} fastest peers" in files["index.html"].decode()


def test_whom_others_name_and_who_is_blocked_is_only_counted_in_public() -> None:
    seen = snapshot(peer(0))
    assert seen.suspects == (Suspect(peer_id="12D3KooWliar", named_by=2, rounds=7, refused_states=1),)
    files = files_of(seen)
    assert b"liar" not in b"".join(files.values()) and b"KooWblocked" not in b"".join(files.values())
    status = json.loads(files["status.json"])
    assert (status["suspects"], status["blocked"]) == (1, 1)


def test_what_some_peers_draw_is_told_with_how_many_they_are() -> None:
    powers = (PeerPower(watts=300, joules=3_600_000), PeerPower(watts=112, joules=720_000))
    seen = snapshot(peer(0, power=powers[0]), peer(1, power=powers[1]), peer(2))
    assert "412 W of 2 of 3 peers, 1.2 kWh so far" in tree_of(seen).words
    assert json.loads(files_of(seen)["status.json"])["energy"]["joules"] == 4_320_000
    assert "Power and energy" not in tree_of(snapshot(peer(0))).words


def test_a_fleet_without_anybody_and_without_a_loss_has_a_page() -> None:
    seen = snapshot(loss=None)
    page = Tree(page_files(seen, FleetHistory([seen]))["index.html"].decode()).root
    assert "None yet." in page.words and "not known yet" in page.words


def test_a_curve_of_very_many_points_is_thinned_to_their_means() -> None:
    samples = [(float(number), float(number % 2)) for number in range(10_000)]
    few = thinned(samples)
    assert len(few) <= 240 and all(value == pytest.approx(0.5) for _, value in few)


def everything(page: Element) -> set[str]:
    """Every tag that occurs."""
    return {page.tag} | {tag for child in page.children for tag in everything(child)}
