"""Every problem has its words in the window too."""

from __future__ import annotations

import pytest

from app import problem_words
from core.problems import Problem


@pytest.mark.parametrize("problem", Problem)
def test_every_problem_has_the_cores_title_an_advice_and_a_button(problem: Problem) -> None:
    assert problem_words.title(problem) == problem.title
    assert problem_words.advice(problem).endswith(".")
    assert problem_words.button(problem)


@pytest.mark.parametrize("problem", Problem)
def test_no_advice_names_an_option_of_the_command_line(problem: Problem) -> None:
    assert " --" not in problem_words.advice(problem).replace("workerbee --help", "")
