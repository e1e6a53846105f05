"""The card of what strangers in a swarm will see of the volunteer, and what they will not."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.presentation.countries import country_name
from app.widgets.labels import Heading, Hint, Words
from app.widgets.layout.card import Card
from core.placeholders import fill_placeholders
from core.protocol.types import NOTHING_DISCLOSED, Disclosure
from core.security.confinement.gaps import Gap
from core.security.sanitize import sanitize_line, short_id
from core.texts.confinement import confinement_words


class PrivacyCard(Card):
    """Lists what strangers in the swarm will see of the volunteer; shown before anybody agrees to anything."""

    def __init__(self) -> None:
        super().__init__()
        self._peer, self._name, self._country, self._credit = _Point(), _Point(), _Point(), _Point()
        self.parts.addWidget(Heading(self.tr("What strangers will see of you")))
        speed = self.tr("how many samples you compute, and how fast")
        points = (_Point(self.tr("your IP address")), self._peer, self._name, self._country)
        line = self.tr("how fast your line uploads, and your traffic, rounds and version")
        gpu = self.tr("what kind of GPU you lend, and the power that it draws where its driver tells it")
        for point in (*points, _Point(gpu), _Point(speed), _Point(line), self._credit):
            self.parts.addWidget(point)
        words = self.tr("They will not see your files, or who you are.")
        self.parts.addWidget(Hint(words))
        self.confinement = Hint()
        self.parts.addWidget(self.confinement)
        self.parts.addStretch(1)
        self.show_names(None, None)
        self.show_confinement(())

    @property
    def text(self) -> str:
        """What is in the list of this volunteer alone, one a line."""
        points = (self._peer, self._name, self._country, self._credit)
        return "\n".join(point.words.text() for point in points if point.words.text())

    def show_confinement(self, gaps: Sequence[Gap]) -> None:
        """Show what this computer cannot keep from the training process, if there is anything."""
        self.confinement.setText(confinement_words(gaps) if gaps else "")
        self.confinement.setVisible(bool(gaps))

    def show_names(
        self, peer_id: str | None, public_name: str | None, disclosure: Disclosure = NOTHING_DISCLOSED
    ) -> None:
        """Show under which names this computer is known in the swarm, and what else a person has chosen to tell."""
        if peer_id:
            sentence = fill_placeholders(self.tr("the peer id %1, made up for this computer"), short_id(peer_id))
        else:
            sentence = self.tr("a peer id, made up for this computer")
        self._peer.set_text(sentence)
        name = sanitize_line(public_name or "", 40)
        self._name.set_text(fill_placeholders(self.tr("the name that you chose: “%1”"), name) if name else "")
        country = country_name(disclosure.country) if disclosure.country else ""
        sentence = fill_placeholders(self.tr("your country, as you tell it: %1"), country)
        self._country.set_text(sentence if country else "")
        agreed = self.tr("that model cards of this run may call you by your name")
        self._credit.set_text(agreed if disclosure.may_be_named else "")


class _Point(QWidget):
    """One of a list."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.words = Words(text)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(QLabel("•"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)

    def set_text(self, text: str) -> None:
        self.words.setText(text)
        self.setVisible(bool(text))
