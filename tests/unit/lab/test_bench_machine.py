"""A warning precedes figures that are taken while other processes are at work."""

import json

import pytest

from ricordo_lab.bench import bench_command
from ricordo_lab.bench.measurement import Options, Report


async def measured(options: Options, report: Report) -> None:
    report({"bench": "startup", "first_start_s": 5.5})


@pytest.mark.parametrize(("percent", "warns"), [(9.4, False), (10.0, True)])
def test_a_busy_machine_is_reported_and_warned_of(
    percent: float, *, warns: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_command, "BENCHES", {"startup": measured})
    monkeypatch.setattr("psutil.cpu_percent", lambda _: percent)
    assert bench_command.main(["startup", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out.splitlines()[0])["others_percent"] == round(percent)
    warning = "others keep 10 % of the processors busy: the figures of startup are affected"
    assert (warning in printed.err) is warns
