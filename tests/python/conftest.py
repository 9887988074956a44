"""What holds for the tests of this folder: none sees a GPU but those that are about one."""

import gpu
import pytest

gpu.hide()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-structure",
        action="store_true",
        help="ask each program of the findings in each structure, not its share",
    )
