"""The file name that the app proposes for a post-mortem."""

import pytest

from tui.screens.export import stem


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Uploads time out", "uploads-time-out"),
        (
            "GLM-5 GGUF on 8 Blackwell GPUs answers garbage (reconstruction)",
            "glm-5-gguf-on-8-blackwell-gpus-answers-garbage",
        ),
        ("../../etc/passwd\n; rm -rf ~", "etc-passwd-rm-rf"),
        ("x" * 90, "x" * 60),
        ("日本語", "post-mortem"),
    ],
)
def test_it_is_made_of_whole_words_of_the_title(title: str, name: str) -> None:
    assert stem(title) == name
