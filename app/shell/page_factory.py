"""The pages after the first: loaded when they are first needed, their wishes passed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from app.controllers.engine_controller import EngineController
from app.controllers.session_controller import SessionController
from app.controllers.settings_store import SettingsStore
from core.records.settings import Settings

if TYPE_CHECKING:
    from app.pages.engine import EnginePage
    from app.pages.help.page import HelpPage
    from app.pages.review.page import ReviewPage
    from app.pages.settings.page import SettingsPage
    from app.pages.training.page import TrainingPage
    from core.records.time_series import Series


def engine_page(engine_room: EngineController) -> EnginePage:
    """The one before the first, where there is nothing yet that could train."""
    from app.pages.engine import EnginePage

    page = EnginePage()
    page.make_requested.connect(engine_room.make)
    page.pause_requested.connect(engine_room.pause)
    return page


def review_page(helm: SessionController, choices: SettingsStore, go_back: Callable[[], None]) -> ReviewPage:
    """The second."""
    from app.pages.review.page import ReviewPage

    page = ReviewPage()
    page.start_requested.connect(helm.start)
    page.dry_run_requested.connect(helm.try_out)
    page.back_requested.connect(go_back)
    page.show_settings(choices.settings)
    return page


def training_page(helm: SessionController, settings: Settings) -> TrainingPage:
    """The third."""
    from app.pages.training.page import TrainingPage

    page = TrainingPage()
    page.choose_graphs(settings.graph_period, cast("tuple[Series, ...]", settings.graph_curves))
    page.pause_requested.connect(helm.pause)
    page.resume_requested.connect(helm.resume)
    page.finish_requested.connect(helm.finish_epoch)
    page.network_test_requested.connect(helm.test_network)
    return page


def settings_page(choices: SettingsStore, go_back: Callable[[], None]) -> SettingsPage:
    """The one beside the others."""
    from app.pages.settings.page import SettingsPage

    page = SettingsPage()
    page.show_settings(choices.settings)
    page.settings_changed.connect(choices.change)
    page.back_requested.connect(go_back)
    if choices.trouble is not None:
        page.show_problem(choices.trouble.problem, choices.trouble.detail)
    return page


def help_page(go_back: Callable[[], None]) -> HelpPage:
    """The documents, which are read beside whatever goes on."""
    from app.pages.help.page import HelpPage

    page = HelpPage()
    page.back_requested.connect(go_back)
    return page
