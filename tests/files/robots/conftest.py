import pytest


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes what it warns of into the current folder."""
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]
