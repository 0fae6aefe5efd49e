from pathlib import Path

from ricordo_lab.bench.analyser import analyser
from ricordo_lab.bench.measurement import Line, Options


async def test_the_analyser_is_measured_in_runs_of_which_the_median_counts(tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("Cosa abbiamo fatto ieri?\nWhere does Anna live?\n")
    for options, questions in ((Options(questions=4, runs=3), 4), (Options(texts=file, runs=3), 2)):
        lines: list[Line] = []
        await analyser(options, lines.append)
        *runs, result = lines
        assert [line["run"] for line in runs] == [1, 2, 3]
        assert (result["runs"], result["questions"]) == (3, questions)
        assert 0 < float(str(result["p50_ms"])) <= float(str(result["p95_ms"]))
        assert float(str(result["ms_of_the_longest"])) > 0
