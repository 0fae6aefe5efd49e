"""What Prometheus is shown, what it is told to ask and to alert on, and what the documents say of it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fixtures.documents import Block, blocks
from tests.fixtures.scraping import Shape, everything, scraped
from tests.support.manual_clock import ManualClock

from ricordo.runtime.health import Health
from ricordo.runtime.metrics import Metrics

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy/prometheus"
CONFIGURATION: dict[str, Any] = yaml.safe_load((FOLDER / "prometheus.yml").read_text(encoding="utf-8"))
ALERTS: dict[str, Any] = yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(
    (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
)["services"]
PAGE = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
SHAPES: Mapping[str, Shape] = scraped(everything()).shapes()

ROW = re.compile(r"^\| `(ricordo_\w+)` \| (\w+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
ALERT_ROW = re.compile(r"^\| `(Ricordo\w+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
NAME = re.compile(r"\bricordo_\w+")
MATCHED = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
TOLD = re.compile(r"\$labels\.(\w+)")
OF_PROMETHEUS = {"instance", "job", "le", "service"}
DURATION = re.compile(r"\d+[smh]")


def documented() -> dict[str, Shape]:
    return {
        name: Shape(kind, frozenset(re.findall(r"`(\w+)`", labels)))
        for name, kind, _, labels, _ in ROW.findall(PAGE)
    }


def rules() -> Iterator[dict[str, Any]]:
    for group in ALERTS["groups"]:
        assert group["name"]
        yield from group["rules"]


def shape_of(name: str) -> Shape | None:
    """Return the shape of the metric that a sample's name belongs to."""
    if name in SHAPES:
        return SHAPES[name]
    histogram = SHAPES.get(re.sub(r"_(bucket|sum|count)$", "", name))
    return histogram if histogram is not None and histogram.kind == "histogram" else None


def check_expression(text: str) -> None:
    """Check that what an expression names is there: metrics and their labels."""
    assert text.count("(") == text.count(")")
    shapes = {name: shape_of(name) for name in NAME.findall(text)}
    assert [name for name, shape in shapes.items() if shape is None] == []
    there = {label for shape in shapes.values() if shape for label in shape.labels} | OF_PROMETHEUS
    named = {*MATCHED.findall(text), *(one.strip() for by in GROUPED.findall(text) for one in by.split(","))}
    assert named <= there


def test_the_table_lists_what_is_shown_and_nothing_else() -> None:
    assert documented() == SHAPES


def test_every_metric_has_a_unit_and_a_meaning() -> None:
    rows = ROW.findall(PAGE)
    assert len(rows) == len(SHAPES)
    for name, _, unit, _, meaning in rows:
        assert unit.strip(), name
        assert meaning.strip(), name
        assert ("seconds" in unit) == ("_seconds" in name), name


@pytest.mark.parametrize("block", blocks("promql"), ids=str)
def test_the_examples_name_metrics_that_there_are(block: Block) -> None:
    assert NAME.findall(block.text)
    check_expression(re.sub(r"^#.*$", "", block.text, flags=re.MULTILINE))


def test_each_worker_is_asked_by_the_name_of_its_service() -> None:
    (job,) = CONFIGURATION["scrape_configs"]
    (discovery,) = job["dns_sd_configs"]
    workers = {name: one for name, one in SERVICES.items() if one.get("command", [""])[0] == "worker"}
    assert sorted(discovery["names"]) == sorted(workers)
    assert discovery["type"] == "A"  # an address for each container that a service is scaled to
    for service in workers.values():
        assert service["environment"]["RICORDO_WORKER__HEALTH_PORT"] == str(discovery["port"])
    assert job.get("metrics_path", "/metrics") == "/metrics"
    assert {"source_labels": ["__meta_dns_name"], "target_label": "service"} in job["relabel_configs"]


def test_prometheus_is_given_all_its_files() -> None:
    service = SERVICES["prometheus"]
    mounted = {mount.split(":")[0]: mount.split(":")[1] for mount in service["volumes"]}
    (file,) = (word.partition("=")[2] for word in service["command"] if word.startswith("--config.file"))
    assert mounted["./deploy/prometheus/prometheus.yml"] == file
    for rule_file in CONFIGURATION["rule_files"]:
        assert mounted[f"./deploy/prometheus/{rule_file}"] == str(Path(file).with_name(rule_file))
    (data,) = (
        word.partition("=")[2] for word in service["command"] if word.startswith("--storage.tsdb.path")
    )
    assert mounted["prometheus"] == data


@pytest.mark.parametrize("rule", list(rules()), ids=lambda rule: rule["alert"])
def test_an_alert_can_come_to_pass(rule: dict[str, Any]) -> None:
    assert rule.keys() <= {"alert", "expr", "for", "labels", "annotations"}
    check_expression(rule["expr"])
    assert DURATION.fullmatch(rule.get("for", "0s"))
    assert rule["labels"]["severity"] in {"critical", "warning"}
    shapes = [shape for name in NAME.findall(rule["expr"]) if (shape := shape_of(name))]
    there = {label for shape in shapes for label in shape.labels} | OF_PROMETHEUS
    assert set(TOLD.findall(rule["annotations"]["summary"])) <= there


def test_an_absent_service_is_noticed() -> None:
    (rule,) = (one for one in rules() if one["alert"] == "RicordoServiceMissing")
    (discovery,) = CONFIGURATION["scrape_configs"][0]["dns_sd_configs"]
    assert re.findall(r'service="(\w+)"', rule["expr"]) == discovery["names"]


def test_every_alert_is_explained() -> None:
    explained = ALERT_ROW.findall(PAGE)
    assert [name for name, _, _ in explained] == [rule["alert"] for rule in rules()]


def test_a_worker_that_never_finished_anything_can_be_stuck() -> None:
    """Of such a worker there is no last success: what is compared with it may not be asked for."""
    (rule,) = (one for one in rules() if one["alert"] == "RicordoWorkerStuck")
    health, metrics = Health("encode", ManualClock()), Metrics("0")
    metrics.add_workers([health])
    health.in_flight = 1
    page = scraped(metrics)
    asked_for, _, excepted = rule["expr"].partition(" unless ")
    assert [page.values(name) != {} for name in NAME.findall(asked_for)] == [True]
    assert [page.values(name) != {} for name in NAME.findall(excepted)] == [False]
